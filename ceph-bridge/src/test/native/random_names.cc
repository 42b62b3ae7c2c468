#include "random_names.h"

namespace ustore::abi {
namespace {

std::string random_text(Random& random) {
  switch (random.below(8)) {
    case 0:
      return "";
    case 1:
      return random_bytes(random, 1 + random.below(40));
    case 2:
      return std::string(1 + random.below(300), 'x');  // longer than a string keeps in itself
    default:
      return random.one_of<const char*>({"a", "ab", "b", "a\x7f", "a\xc3\xa4", "\x01", "\xff", "rbd_data.1"});
  }
}

}  // namespace

std::string random_bytes(Random& random, size_t length) {
  std::string bytes;
  for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(random.next());
  return bytes;
}

GHObject random_object(Random& random, bool with_max) {
  GHObject object;
  HObject& h = object.hobject;
  h.name = random_text(random);
  if (h.name.empty()) h.name = "o";
  if (random.below(2)) h.key = random_text(random);
  if (random.below(2)) h.nspace = random_text(random);
  h.snap = random.one_of<uint64_t>({0, 1, 2, 0x7fffffffffffffffu, 0x8000000000000000u, ~uint64_t{1}, ~uint64_t{0}});
  h.set_hash(random.below(4) ? random.one_of<uint32_t>({0, 1, 2, 0x10, 0x80000000u, 0xffffffffu, 0x12345678u})
                             : static_cast<uint32_t>(random.next()));
  h.pool = random.one_of<int64_t>({kPoolUnset, -1'000'000'001, -4, -3, -2, -1, 0, 1, 2, INT64_MAX});
  object.generation = random.one_of<uint64_t>({0, 1, 0x7fffffffffffffffu, 0x8000000000000000u, kNoGeneration});
  object.shard = random.one_of<int8_t>({kNoShard, 0, 1, 2, 127, -128});
  if (with_max) {
    h.max = random.below(8) == 0;
    object.max = random.below(8) == 0;
  }
  return object;
}

Coll random_collection(Random& random) {
  Coll cid;
  if (random.below(50)) {
    cid.type = random.below(4) ? CollType::pg : CollType::pg_temp;
    cid.pool = random.below(2) ? random.below(4) : random.next() >> (1 + random.below(63));
    cid.seed = static_cast<uint32_t>(random.below(2) ? random.below(4) : random.next() >> random.below(64));
    if (random.below(2)) cid.shard = static_cast<int8_t>(random.below(128));
  }
  ceph_coll_calc_str(&cid);
  return cid;
}

}  // namespace ustore::abi
