// Files for the Java tests, little endian, one record after the other:
//
//   objects      u32 rank | u32 bytes | object in the form of neutral.h
//   collections  collection in the form of neutral.h | u32 bytes | text
//
// Objects are in Ceph's own order; names that Ceph holds for equal have the same rank. The text is Ceph's.

#include <algorithm>
#include <cstdio>

#include "ceph_calls.h"
#include "checks.h"
#include "neutral.h"
#include "wire.h"

namespace ustore::abi {
namespace {

bool write_file(const char* file, const std::string& content) {
  FILE* out = fopen(file, "wb");
  if (!out) {
    perror(file);
    return false;
  }
  bool whole = fwrite(content.data(), 1, content.size(), out) == content.size();
  return fclose(out) == 0 && whole;
}

}  // namespace

bool emit_objects(Random& random, size_t count, const char* file) {
  std::vector<GHObject> objects;
  for (size_t i = 0; i < count; ++i) objects.push_back(random_object(random, true));
  std::sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) { return ceph_cmp(a, b) < 0; });

  std::string content;
  uint32_t rank = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && ceph_cmp(objects[i - 1], objects[i]) != 0) ++rank;
    std::string neutral(neutral_size(objects[i]), '\0');
    put_neutral(objects[i], reinterpret_cast<uint8_t*>(neutral.data()));
    content += Wire().number(rank).string(neutral).bytes();
  }
  return write_file(file, content);
}

bool emit_collections(Random& random, size_t count, const char* file) {
  std::string content;
  for (size_t i = 0; i < count; ++i) {
    Coll cid = random_collection(random);
    NeutralCollection neutral(cid);
    content.append(reinterpret_cast<const char*>(&neutral), sizeof neutral);
    content += Wire().string(cid.name()).bytes();
  }
  return write_file(file, content);
}

}  // namespace ustore::abi
