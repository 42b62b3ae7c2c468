// A transaction in Ceph's serialised form, put together from the description of that form alone.
#pragma once

#include <utility>
#include <vector>

#include "profile_16.h"
#include "wire.h"

namespace ustore::abi {

enum OpCode : uint32_t {
  kOpTouch = 9,
  kOpWrite = 10,
  kOpZero = 11,
  kOpRemove = 13,
  kOpSetAttrs = 15,
  kOpClone = 17,
  kOpMakeCollection = 20,
  kOpOmapSetKeys = 32,
  kOpOmapSetHeader = 34,
};

struct [[gnu::packed]] Op {
  uint32_t op;
  uint32_t cid;
  uint32_t oid;
  uint64_t off;
  uint64_t len;
  uint32_t dest_cid;
  uint32_t dest_oid;
  uint64_t dest_off;
  uint32_t hint;
  uint64_t expected_object_size;
  uint64_t expected_write_size;
  uint32_t split_bits;
  uint32_t split_rem;
};
static_assert(sizeof(Op) == kOpBytes);

struct TransactionBytes {
  std::vector<std::pair<Coll, uint32_t>> collections;
  std::vector<std::pair<GHObject, uint32_t>> objects;
  std::string ops;
  std::string data;
  uint32_t largest_data_len = 0;
  uint32_t largest_data_off = 0;
  uint32_t largest_data_off_in_data = 0;
  uint32_t fadvise_flags = 0;

  void add(const Op& op) { ops.append(reinterpret_cast<const char*>(&op), sizeof op); }
  uint64_t op_count() const { return ops.size() / sizeof(Op); }

  bufferlist encode() const {
    Wire body;
    body.string(data).string(ops).number(static_cast<uint32_t>(collections.size()));
    for (const auto& [cid, index] : collections) body.collection(cid).number(index);
    body.number(static_cast<uint32_t>(objects.size()));
    for (const auto& [object, index] : objects) body.object(object).number(index);
    body.number(op_count()).number(largest_data_len).number(largest_data_off).number(largest_data_off_in_data);
    body.number(fadvise_flags);
    return Wire().versioned(9, 9, body).buffers();
  }
};

}  // namespace ustore::abi
