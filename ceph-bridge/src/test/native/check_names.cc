#include "ceph_calls.h"
#include "checks.h"
#include "wire.h"

namespace ustore::abi {
namespace {

constexpr int kRounds = 2000;

std::string field(const char* name, bool same) { return same ? "" : name; }

void check_hashes(Report& report, Random& random) {
  report.begin("reversed forms of the hash");
  for (int i = 0; i < kRounds; ++i) {
    auto hash = static_cast<uint32_t>(random.next());
    report.equal(ceph_reverse_bits(hash), reverse_bits(hash), "reverse_bits");
    report.equal(ceph_reverse_nibbles(hash), reverse_nibbles(hash), "reverse_nibbles");
  }
}

void check_object_round(Report& report, const GHObject& object) {
  bufferlist encoded;
  ceph_encode(&object, encoded);
  std::string expected = Wire().object(object).bytes();
  report.that(bytes_of(encoded) == expected, "Ceph encodes an object name with other bytes than its fields");

  GHObject decoded;
  decoded.hobject.nibble_reversed_hash = decoded.hobject.bit_reversed_hash = 0xdeadbeef;
  auto at = encoded.cbegin();
  ceph_decode(&decoded, at);
  report.equal("", difference(object, decoded), "field of an object name Ceph decoded");
  report.equal(encoded.length(), at.get_off(), "bytes Ceph decoded");
  report.equal(0, ceph_cmp(object, decoded), "cmp of an object name and its decoded copy");
}

void check_objects_encoded(Report& report, Random& random) {
  report.begin("object names through Ceph's encode and decode");
  for (int i = 0; i < kRounds; ++i) check_object_round(report, random_object(random, false));
  check_object_round(report, GHObject{});
  check_object_round(report, GHObject::last());
}

void check_bounds(Report& report) {
  report.begin("greatest object name");
  report.equal("", difference(ceph_object_max(), GHObject::last()), "field of ghobject_t::get_max()");
}

// Each field alone decides the order: a mirror with two fields swapped cannot pass.
void check_order_by_field(Report& report) {
  report.begin("order by each field of an object name");
  auto less = [&report](const char* name, auto change) {
    GHObject smaller;
    smaller.hobject.name = "n";
    smaller.hobject.pool = 5;
    smaller.generation = 5;
    GHObject greater = smaller;
    change(greater);
    report.that(ceph_cmp(smaller, greater) < 0 && ceph_cmp(greater, smaller) > 0, name);
  };
  less("max", [](GHObject& o) { o.max = true; });
  less("shard", [](GHObject& o) { o.shard = 0; });
  less("hobject.max", [](GHObject& o) { o.hobject.max = true; });
  less("pool", [](GHObject& o) { o.hobject.pool = 6; });
  less("hash", [](GHObject& o) { o.hobject.bit_reversed_hash = 1; });
  less("nspace", [](GHObject& o) { o.hobject.nspace = "a"; });
  less("key", [](GHObject& o) { o.hobject.key = "o"; });
  less("name", [](GHObject& o) { o.hobject.name = "o"; });
  less("snap", [](GHObject& o) { o.hobject.snap = 1; });
  less("generation", [](GHObject& o) { o.generation = 6; });
}

void check_collection_round(Report& report, const Coll& cid) {
  bufferlist encoded;
  ceph_encode(&cid, encoded);
  std::string expected = Wire().collection(cid).bytes();
  report.that(bytes_of(encoded) == expected, "Ceph encodes " + std::string(cid.name()) + " with other bytes");

  Coll decoded;
  auto at = encoded.cbegin();
  ceph_decode(&decoded, at);
  ceph_coll_calc_str(&decoded);  // decode leaves the text of the name that was there before
  report.equal("", difference(cid, decoded), "field of " + std::string(cid.name()) + " as Ceph decoded it");

  Coll parsed;
  report.that(ceph_parse(&parsed, std::string(cid.name())), "Ceph cannot parse " + std::string(cid.name()));
  report.equal("", difference(cid, parsed), "field of " + std::string(cid.name()) + " as Ceph parsed it");

  auto copy = std::make_unique<Coll>(decoded);
  report.equal("", difference(cid, *copy), "field of a copy");
  bufferlist again;
  ceph_encode(copy.get(), again);
  report.that(bytes_of(again) == expected, "Ceph encodes a copy of " + std::string(cid.name()) + " otherwise");
}

void check_collections(Report& report, Random& random) {
  report.begin("collection names through Ceph's encode, decode, parse and calc_str");
  for (int i = 0; i < kRounds; ++i) check_collection_round(report, random_collection(random));
  check_collection_round(report, Coll{[] {
    Coll meta;
    ceph_coll_calc_str(&meta);
    return meta;
  }()});
  Coll junk;
  for (const char* text : {"", "1.0", "x.0_head", "1.0_tail"}) {
    report.that(!ceph_parse(&junk, text), std::string("Ceph takes \"") + text + "\" for a collection");
  }
}

}  // namespace

std::string difference(const GHObject& a, const GHObject& b) {
  const HObject& x = a.hobject;
  const HObject& y = b.hobject;
  return field("name ", x.name == y.name) + field("snap ", x.snap == y.snap) + field("hash ", x.hash == y.hash) +
         field("hobject.max ", x.max == y.max) + field("pool ", x.pool == y.pool) +
         field("nibble_reversed_hash ", x.nibble_reversed_hash == y.nibble_reversed_hash) +
         field("bit_reversed_hash ", x.bit_reversed_hash == y.bit_reversed_hash) +
         field("nspace ", x.nspace == y.nspace) + field("key ", x.key == y.key) +
         field("generation ", a.generation == b.generation) + field("shard ", a.shard == b.shard) +
         field("max ", a.max == b.max);
}

std::string difference(const Coll& a, const Coll& b) {
  return field("type ", a.type == b.type) + field("pool ", a.pool == b.pool) + field("seed ", a.seed == b.seed) +
         field("shard ", a.shard == b.shard) + field("removal_seq ", a.removal_seq == b.removal_seq) +
         field("str-outside-text ", b.str >= b.text && b.str < b.text + sizeof b.text) +
         field("str ", b.str >= b.text && b.str < b.text + sizeof b.text && a.name() == b.name());
}

void check_names(Report& report, Random& random) {
  check_hashes(report, random);
  check_objects_encoded(report, random);
  check_bounds(report);
  check_order_by_field(report);
  check_collections(report, random);
}

}  // namespace ustore::abi
