// Names drawn from a seed: few values per field, so that two names often differ in a late field only, among them every
// limit of the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "profile_16.h"

namespace ustore::abi {

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers from the same seed everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return next() % bound; }

  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  uint64_t state_;
};

std::string random_bytes(Random& random, size_t length);

// Every field is random; the two `max` flags are set only where `with_max`, as Ceph refuses to encode most such names.
GHObject random_object(Random& random, bool with_max);

// Any collection Ceph has a name for, `str` and `text` included.
Coll random_collection(Random& random);

}  // namespace ustore::abi
