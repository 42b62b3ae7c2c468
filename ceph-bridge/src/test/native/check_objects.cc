#include <sstream>

#include "ceph_calls.h"
#include "checks.h"
#include "transaction_bytes.h"

namespace ustore::abi {
namespace {

struct CountedDeath : CollectionImpl {
  int* deaths;

  CountedDeath(int* deaths) : CollectionImpl(nullptr, Coll{}), deaths(deaths) {}
  ~CountedDeath() override { ++*deaths; }
  void flush() override {}
  bool flush_commit(Context*) override { return true; }
};

void check_references(Report& report) {
  report.begin("reference counts, changed by Ceph and by the profile");
  int deaths = 0;
  auto* object = new CountedDeath(&deaths);
  ceph_get(object);
  report.equal(uint64_t{2}, object->references.load(), "references after Ceph's get");
  {
    CollectionHandle handle(object);
    CollectionHandle copy = handle;
    report.equal(uint64_t{4}, object->references.load(), "references with two handles");
    ceph_put(object);
    ceph_put(object);
    report.equal(uint64_t{2}, object->references.load(), "references after Ceph's put");
    report.equal(0, deaths, "deaths while referenced");
  }
  report.equal(1, deaths, "deaths after the last handle");

  auto* other = new CountedDeath(&deaths);
  ceph_put(other);
  report.equal(2, deaths, "deaths after Ceph's last put");
}

std::string summary(const GHObject& object) {
  std::string copy = Wire().object(object).bytes();
  return copy;
}
std::string summary(const Coll& cid) { return std::string(cid.name()); }
std::string summary(const CephTransaction& t) {
  bufferlist encoded;
  ceph_encode(&t, encoded);
  return bytes_of(encoded);
}

// Fills a vector of the profile's type, has Ceph grow it, and looks at every element.
template <typename T, typename Make>
void check_stride(Report& report, const char* type, Make make) {
  constexpr size_t kCount = 5;
  std::vector<T> vector;
  vector.reserve(kCount);
  std::vector<std::string> expected;
  for (size_t i = 0; i < kCount; ++i) {
    vector.push_back(make(i));
    expected.push_back(summary(vector.back()));
  }
  T added = make(kCount);
  expected.push_back(summary(added));
  ceph_grow(&vector, vector.data() + kCount, std::move(added));
  report.equal(kCount + 1, vector.size(), std::string("elements of a vector of ") + type + " after Ceph grew it");
  for (size_t i = 0; i < vector.size() && i < expected.size(); ++i) {
    report.that(summary(vector[i]) == expected[i], std::string("element of a vector of ") + type + " after Ceph grew it");
  }
}

void check_strides(Report& report, Random& random) {
  report.begin("sizes, by vectors that Ceph grows");
  check_stride<GHObject>(report, "object names", [&](size_t) { return random_object(random, false); });
  check_stride<Coll>(report, "collection names", [&](size_t) { return random_collection(random); });
  check_stride<CephTransaction>(report, "transactions", [&](size_t i) {
    TransactionBytes bytes;
    bytes.data = random_bytes(random, 10 + i);
    bytes.objects.emplace_back(random_object(random, false), 7);
    CephTransaction t = {};
    bufferlist encoded = bytes.encode();
    auto at = encoded.cbegin();
    ceph_decode(&t, at);
    return t;
  });
}

void check_formatter(Report& report) {
  report.begin("Formatter");
  std::unique_ptr<Formatter> formatter(ceph_formatter("json", "json", "json"));
  report.that(formatter != nullptr, "no JSON formatter");
  if (!formatter) return;
  std::ostringstream out;
  formatter->open_object_section("top");
  formatter->dump_unsigned("u", ~uint64_t{0});
  formatter->dump_int("i", -7);
  formatter->dump_float("f", 0.5);
  formatter->dump_string("s", "text");
  formatter->open_array_section("a");
  formatter->dump_int("x", 1);
  formatter->dump_int("x", 2);
  formatter->close_section();
  formatter->open_object_section_in_ns("o", "ns");
  formatter->close_section();
  formatter->open_array_section_in_ns("b", "ns");
  formatter->close_section();
  formatter->close_section();
  formatter->flush(out);
  report.equal(R"({"u":18446744073709551615,"i":-7,"f":0.5,"s":"text","a":[1,2],"o ns":{},"b ns":[]})",
               out.str().substr(0, out.str().find('\n')), "Ceph's JSON");
  formatter->reset();
}

void check_statfs(Report& report) {
  report.begin("statfs, as Ceph prints it");
  std::unique_ptr<Formatter> formatter(ceph_formatter("json", "json", "json"));
  Statfs statfs = {1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010};
  std::ostringstream out;
  formatter->open_object_section("s");
  ceph_dump(&statfs, formatter.get());
  formatter->close_section();
  formatter->flush(out);
  for (auto [name, value] : {std::pair("total", 1001), std::pair("available", 1002),
                             std::pair("internally_reserved", 1003), std::pair("allocated", 1004),
                             std::pair("data_stored", 1005), std::pair("data_compressed", 1006),
                             std::pair("data_compressed_allocated", 1007), std::pair("data_compressed_original", 1008),
                             std::pair("omap_allocated", 1009), std::pair("internal_metadata", 1010)}) {
    std::string printed = std::string("\"") + name + "\":" + std::to_string(value);
    report.that(out.str().find(printed) != std::string::npos, "no " + printed + " in " + out.str());
  }
}

void check_buffers(Report& report, Random& random) {
  report.begin("bufferlists of several buffers");
  for (int i = 0; i < 100; ++i) {
    GHObject object = random_object(random, false);
    std::string bytes = Wire().object(object).bytes();
    bufferlist list;
    for (size_t at = 0; at < bytes.size();) {
      size_t length = std::min<size_t>(1 + random.below(16), bytes.size() - at);
      list.push_back(ceph::buffer::copy(bytes.data() + at, static_cast<unsigned>(length)));
      at += length;
    }
    GHObject decoded;
    auto at = list.cbegin();
    ceph_decode(&decoded, at);
    report.equal("", difference(object, decoded), "field of a name decoded from many buffers");
    report.equal(bytes.size(), list.length(), "length");
    report.that(bytes == bytes_of(list), "walk of the buffers");
    report.that(bytes == std::string(list.c_str(), list.length()), "contiguous form");
  }
}

}  // namespace

void check_objects(Report& report, Random& random) {
  check_references(report);
  check_strides(report, random);
  check_formatter(report);
  check_statfs(report);
  check_buffers(report, random);
}

}  // namespace ustore::abi
