// The form in which names cross the bridge, the same for every Ceph release. Little endian:
//
//   object      0 i64 pool | 8 u64 snap | 16 u64 generation | 24 u32 hash | 28 i8 shard | 29 u8 flags | 30 u16 0
//              32 u32 name bytes | 36 u32 key bytes | 40 u32 namespace bytes | 44 name, key, namespace
//              flags: 1 = sorts after everything, 2 = sorts after every object of its shard
//   collection  0 u32 type | 4 i8 shard | 5 3 x 0 | 8 u32 seed | 12 u32 0 | 16 u64 pool
#pragma once

#include "profile_16.h"
#include "reply.h"

namespace ustore {

constexpr size_t kObjectHeader = 44;
constexpr size_t kCollectionBytes = 24;
constexpr uint8_t kFlagMax = 1;
constexpr uint8_t kFlagHobjectMax = 2;

struct NeutralCollection {
  uint32_t type;
  int8_t shard;
  uint8_t zero[3];
  uint32_t seed;
  uint32_t zero2;
  uint64_t pool;

  explicit NeutralCollection(const Coll& cid)
      : type(static_cast<uint32_t>(cid.type)), shard(cid.shard), zero{}, seed(cid.seed), zero2(0), pool(cid.pool) {}
  int64_t address() const { return reinterpret_cast<int64_t>(this); }
};
static_assert(sizeof(NeutralCollection) == kCollectionBytes);

inline size_t neutral_size(const GHObject& object) {
  return kObjectHeader + object.hobject.name.size() + object.hobject.key.size() + object.hobject.nspace.size();
}

inline void put_neutral(const GHObject& object, uint8_t* to) {
  const HObject& h = object.hobject;
  auto put = [to](size_t at, const auto& value) { memcpy(to + at, &value, sizeof value); };
  put(0, h.pool);
  put(8, h.snap);
  put(16, object.generation);
  put(24, h.hash);
  put(28, object.shard);
  put(29, static_cast<uint8_t>((object.max ? kFlagMax : 0) | (h.max ? kFlagHobjectMax : 0)));
  put(30, uint16_t{0});
  put(32, static_cast<uint32_t>(h.name.size()));
  put(36, static_cast<uint32_t>(h.key.size()));
  put(40, static_cast<uint32_t>(h.nspace.size()));
  uint8_t* at = to + kObjectHeader;
  for (const std::string* part : {&h.name, &h.key, &h.nspace}) {
    memcpy(at, part->data(), part->size());
    at += part->size();
  }
}

// An object's name encoded on the stack, for the length of one call.
class NeutralObject {
 public:
  explicit NeutralObject(const GHObject& object) {
    size_t size = neutral_size(object);
    uint8_t* to = small_;
    if (size > sizeof small_) {
      large_ = std::make_unique<uint8_t[]>(size);
      to = large_.get();
    }
    put_neutral(object, to);
    at_ = to;
  }
  int64_t address() const { return reinterpret_cast<int64_t>(at_); }

 private:
  alignas(8) uint8_t small_[400];
  std::unique_ptr<uint8_t[]> large_;
  const uint8_t* at_;
};

inline GHObject read_object(ReplyReader& in) {
  GHObject object;
  HObject& h = object.hobject;
  h.pool = in.number<int64_t>();
  h.snap = in.number<uint64_t>();
  object.generation = in.number<uint64_t>();
  h.set_hash(in.number<uint32_t>());
  object.shard = in.number<int8_t>();
  auto flags = in.number<uint8_t>();
  in.number<uint16_t>();
  object.max = flags & kFlagMax;
  h.max = flags & kFlagHobjectMax;
  auto name = in.number<uint32_t>();
  auto key = in.number<uint32_t>();
  auto nspace = in.number<uint32_t>();
  h.name = in.bytes(name);
  h.key = in.bytes(key);
  h.nspace = in.bytes(nspace);
  return object;
}

inline Coll read_collection(ReplyReader& in) {
  Coll cid;
  cid.type = static_cast<CollType>(in.number<uint32_t>());
  cid.shard = in.number<int8_t>();
  in.bytes(3);
  cid.seed = in.number<uint32_t>();
  in.number<uint32_t>();
  cid.pool = in.number<uint64_t>();
  ceph_coll_calc_str(&cid);
  return cid;
}

}  // namespace ustore
