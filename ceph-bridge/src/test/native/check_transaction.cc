#include <algorithm>
#include <sstream>

#include "ceph_calls.h"
#include "checks.h"
#include "neutral.h"
#include "transaction_bytes.h"

namespace ustore::abi {
namespace {

constexpr int kRounds = 300;

std::string neutral(const GHObject& object) {
  std::string bytes(neutral_size(object), '\0');
  put_neutral(object, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

std::string neutral(const Coll& cid) {
  NeutralCollection bytes(cid);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

// The names with their numbers, in an order that does not depend on the container.
template <typename Names>
std::vector<std::pair<uint32_t, std::string>> table(const Names& names) {
  std::vector<std::pair<uint32_t, std::string>> entries;
  for (const auto& [name, index] : names) entries.emplace_back(index, neutral(name));
  std::sort(entries.begin(), entries.end());
  return entries;
}

template <typename Names, typename Name>
bool contains(const Names& names, const Name& name, bool (*same)(const Name&, const Name&)) {
  return std::any_of(names.begin(), names.end(), [&](const auto& entry) { return same(entry.first, name); });
}

bool same_name(const Coll& a, const Coll& b) { return a.name() == b.name(); }
bool same_name(const GHObject& a, const GHObject& b) { return ceph_cmp(a, b) == 0; }

TransactionBytes random_transaction(Random& random) {
  TransactionBytes t;
  for (uint64_t i = random.below(4); i > 0; --i) {
    Coll cid = random_collection(random);
    if (!contains<decltype(t.collections), Coll>(t.collections, cid, same_name)) {
      t.collections.emplace_back(cid, static_cast<uint32_t>(t.collections.size()));
    }
  }
  for (uint64_t i = random.below(12); i > 0; --i) {
    GHObject object = random_object(random, false);
    if (!contains<decltype(t.objects), GHObject>(t.objects, object, same_name)) {
      t.objects.emplace_back(object, static_cast<uint32_t>(t.objects.size()));
    }
  }
  for (uint64_t i = random.below(6); i > 0; --i) t.ops += random_bytes(random, kOpBytes);
  t.data = random_bytes(random, random.below(5000));
  t.largest_data_len = static_cast<uint32_t>(random.next());
  t.largest_data_off = static_cast<uint32_t>(random.next());
  t.largest_data_off_in_data = static_cast<uint32_t>(random.next());
  t.fadvise_flags = static_cast<uint32_t>(random.next());
  return t;
}

void check_walk(Report& report, const TransactionBytes& expected, CephTransaction& found) {
  report.equal(expected.op_count(), found.op_count, "op_count");
  report.equal(expected.largest_data_len, found.largest_data_len, "largest_data_len");
  report.equal(expected.largest_data_off, found.largest_data_off, "largest_data_off");
  report.equal(expected.largest_data_off_in_data, found.largest_data_off_in_data, "largest_data_off_in_data");
  report.equal(expected.fadvise_flags, found.fadvise_flags, "fadvise_flags");
  report.equal(expected.collections.size(), found.collections.size(), "number of collections");
  report.equal(expected.objects.size(), found.objects.size(), "number of objects");
  report.that(table(expected.collections) == table(found.collections), "collections or their numbers differ");
  report.that(table(expected.objects) == table(found.objects), "objects or their numbers differ");
  report.equal(expected.collections.size(), found.next_collection, "next_collection");
  report.equal(expected.objects.size(), found.next_object, "next_object");
  report.equal(expected.data.size(), found.data.length(), "length of data");
  report.that(bytes_of(found.data) == expected.data, "data differs");
  report.equal(expected.ops.size(), found.ops.length(), "length of ops");
  std::string ops(expected.ops.empty() ? "" : found.ops.c_str(), found.ops.length());
  report.that(ops == expected.ops, "ops differ");
  report.that(found.on_applied.empty() && found.on_commit.empty() && found.on_applied_sync.empty(),
              "a decoded transaction has callbacks");
}

// The maps come in Ceph's order, so encoding what was decoded gives the first bytes again once names are sorted.
void check_round(Report& report, const TransactionBytes& bytes) {
  CephTransaction decoded = {};
  bufferlist encoded = bytes.encode();
  auto at = encoded.cbegin();
  ceph_decode(&decoded, at);
  report.equal(encoded.length(), at.get_off(), "bytes Ceph decoded");
  check_walk(report, bytes, decoded);

  TransactionBytes sorted = bytes;
  sorted.collections.assign(decoded.collections.begin(), decoded.collections.end());
  sorted.objects.assign(decoded.objects.begin(), decoded.objects.end());
  for (size_t i = 1; i < sorted.objects.size(); ++i) {
    report.that(ceph_cmp(sorted.objects[i - 1].first, sorted.objects[i].first) < 0, "objects are walked out of order");
  }
  bufferlist again;
  ceph_encode(&decoded, again);
  report.that(bytes_of(again) == bytes_of(sorted.encode()), "Ceph encodes the walked transaction with other bytes");
}

void check_op_fields(Report& report, Random& random) {
  report.begin("fields of an operation, as Ceph prints them");
  std::unique_ptr<Formatter> formatter(ceph_formatter("json", "json", "json"));
  for (int i = 0; i < kRounds; ++i) {
    TransactionBytes bytes;
    bytes.collections.emplace_back(random_collection(random), 0);
    bytes.objects.emplace_back(GHObject{}, 0);
    Op op = {};
    op.op = kOpZero;
    op.off = random.next() >> 1;
    op.len = random.next() >> 1;
    bytes.add(op);
    op = {};
    op.op = 36;  // split
    op.split_bits = static_cast<uint32_t>(random.below(32));
    op.split_rem = static_cast<uint32_t>(random.next());
    bytes.add(op);
    op = {};
    op.op = 39;  // allocation hint
    op.expected_object_size = random.next() >> 1;
    op.expected_write_size = random.next() >> 1;
    bytes.add(op);
    CephTransaction decoded = {};
    bufferlist encoded = bytes.encode();
    auto at = encoded.cbegin();
    ceph_decode(&decoded, at);

    std::ostringstream out;
    formatter->open_object_section("t");
    ceph_dump(&decoded, formatter.get());
    formatter->close_section();
    formatter->flush(out);
    formatter->reset();
    auto walk = reinterpret_cast<const Op*>(decoded.ops.c_str());
    for (uint64_t value : {walk[0].off, walk[0].len, uint64_t{walk[1].split_bits}, uint64_t{walk[1].split_rem},
                           walk[2].expected_object_size, walk[2].expected_write_size}) {
      std::string text = std::to_string(value);
      bool printed = out.str().find(':' + text + ',') != std::string::npos ||
                     out.str().find(':' + text + '}') != std::string::npos ||
                     out.str().find(":\"" + text + '"') != std::string::npos;
      report.that(printed, "Ceph's dump has no " + text + ": " + out.str());
    }
    report.that(out.str().find(bytes.collections[0].first.name()) != std::string::npos, "no collection in " + out.str());
  }
}

}  // namespace

void check_transactions(Report& report, Random& random) {
  report.begin("transactions through Ceph's decode, the profile's walk and Ceph's encode");
  check_round(report, TransactionBytes{});
  for (int i = 0; i < kRounds; ++i) check_round(report, random_transaction(random));
  check_op_fields(report, random);
}

}  // namespace ustore::abi
