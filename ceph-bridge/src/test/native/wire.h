// Ceph's little-endian encoding, written from its description alone, to compare with what Ceph writes.
#pragma once

#include <string>

#include "profile_16.h"

namespace ustore::abi {

class Wire {
 public:
  template <typename T>
  Wire& number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  // u32 length, then the bytes
  Wire& string(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  // u8 version, u8 oldest reader, u32 length, then the bytes
  Wire& versioned(uint8_t version, uint8_t compat, const Wire& body) {
    return number(version).number(compat).string(body.bytes_);
  }
  Wire& raw(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  Wire& object(const GHObject& object) {
    const HObject& h = object.hobject;
    Wire body;
    body.string(h.key).string(h.name).number(h.snap).number(h.hash).number(h.max).string(h.nspace).number(h.pool);
    body.number(object.generation).number(object.shard).number(object.max);
    return versioned(6, 3, body);
  }
  Wire& collection(const Coll& cid) {
    if (cid.type == CollType::pg_temp || cid.type == CollType::legacy_temp) {
      return number(uint8_t{3}).string(cid.name());
    }
    Wire pg;
    pg.number(uint8_t{1}).number(cid.pool).number(cid.seed).number(int32_t{-1}).number(cid.shard);
    constexpr uint64_t kSnap = ~uint64_t{1};
    return number(uint8_t{2}).number(static_cast<uint8_t>(cid.type)).versioned(1, 1, pg).number(kSnap);
  }
  const std::string& bytes() const { return bytes_; }
  bufferlist buffers() const {
    bufferlist list;
    list.append(bytes_);
    return list;
  }

 private:
  std::string bytes_;
};

inline std::string bytes_of(const bufferlist& list) {
  std::string bytes;
  for (const auto& buffer : list.buffers()) bytes.append(buffer.c_str(), buffer.length());
  return bytes;
}

}  // namespace ustore::abi
