#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "ceph_calls.h"
#include "checks.h"
#include "transaction_bytes.h"

namespace ustore::abi {
namespace {

constexpr size_t kContextBytes = 1u << 20;  // room for a CephContext of any release
constexpr uint32_t kEntityOsd = 4;
constexpr uint64_t kMemStoreBytes = uint64_t{1} << 30;  // memstore_device_bytes
constexpr uint32_t kHash = 0x12345678;

std::atomic<int> completions{0};

// Notes its completion; stays alive for the test to look at.
struct Noted : Context {
  std::mutex lock;
  std::condition_variable done;
  int count = 0;
  int result = -1;
  int place = -1;  // among all completions
  std::thread::id thread;

  void finish(int) override { abort(); }
  bool sync_finish(int) override { abort(); }
  void complete(int r) override {
    std::lock_guard<std::mutex> guard(lock);
    ++count;
    result = r;
    place = completions++;
    thread = std::this_thread::get_id();
    done.notify_all();
  }
  bool sync_complete(int) override { abort(); }
  void wait() {
    std::unique_lock<std::mutex> guard(lock);
    done.wait(guard, [this] { return count > 0; });
  }
};

struct Line final : LogEntry {
  std::string line = "a line of the test";

  std::string_view text() const override { return line; }
  size_t size() const override { return line.size(); }
};

class StoreCheck {
 public:
  StoreCheck(Report& report, Random& random, const std::string& folder)
      : report_(report), data_(random_bytes(random, 10000)), folder_(folder) {
    object_.hobject.name = "first";
    object_.hobject.pool = 7;
    object_.hobject.set_hash(kHash);
    object_.hobject.snap = ~uint64_t{1};
    second_ = object_;
    second_.hobject.name = "second";
    ceph_parse(&cid_, "7.0_head");
    ceph_parse(&absent_, "7.1_head");
  }

  void run() {
    report_.begin("CephContext, its log and levels");
    void* cct = aligned_alloc(4096, kContextBytes);
    memset(cct, 0, kContextBytes);
    ceph_context(cct, kEntityOsd, 0, 0);
    ceph_global_context = cct;
    check_log(cct);
    report_.begin("ObjectStore: creation, properties and files of a MemStore");
    store_ = ceph_create_store(cct, "memstore", folder_, "", 0);
    report_.that(store_ != nullptr, "no MemStore");
    if (!store_) return;
    report_.equal(folder_, store_->path, "path");
    report_.that(store_->cct == cct, "cct");
    check_before_mount();
    check_properties();
    report_.begin("ObjectStore: transactions and callbacks of a MemStore");
    check_writes();
    report_.begin("ObjectStore: reads of a MemStore");
    check_reads();
    check_attributes();
    report_.begin("ObjectStore: collections of a MemStore");
    check_collections();
    report_.begin("ObjectStore: omap of a MemStore");
    check_omap();
    check_iterator();
    report_.begin("ObjectStore: end of a MemStore");
    report_.equal(0, store_->umount(), "umount");
    delete store_;
    report_.begin("ContextQueue: callbacks of a BlueStore");
    check_queue(cct);
  }

 private:
  // Only BlueStore delivers through the queue of a collection.
  void check_queue(void* cct) {
    std::string folder = folder_ + "/bluestore";
    report_.equal(0, mkdir(folder.c_str(), 0700), "mkdir");
    store_ = ceph_create_store(cct, "bluestore", folder, "", 0);
    Uuid fsid = {{1}};
    store_->set_fsid(fsid);
    report_.equal(0, store_->mkfs(), "mkfs");
    store_->set_cache_shards(1);
    report_.equal(0, store_->mount(), "mount");
    handle_ = store_->create_new_collection(cid_);
    std::mutex wake_lock;
    std::condition_variable wake;
    ContextQueue queue = {{}, {}, &wake_lock, &wake, {true}};
    store_->set_collection_commit_queue(cid_, &queue);
    TransactionBytes bytes;
    bytes.collections.emplace_back(cid_, 0);
    Op op = {};
    op.op = kOpMakeCollection;
    bytes.add(op);
    std::vector<CephTransaction> transactions(1);
    bufferlist encoded = bytes.encode();
    auto at = encoded.cbegin();
    ceph_decode(&transactions[0], at);
    Noted committed;
    transactions[0].on_commit.push_back(&committed);
    const void* no_op = nullptr;
    {
      std::unique_lock<std::mutex> guard(wake_lock);
      report_.equal(0, store_->queue_transactions(handle_, transactions, &no_op, nullptr), "queue_transactions");
      wake.wait(guard, [&queue] { return !queue.empty; });
    }
    {
      std::lock_guard<std::mutex> guard(queue.lock);
      report_.equal(size_t{1}, queue.waiting.size(), "callbacks in the queue");
      report_.that(queue.waiting.size() == 1 && queue.waiting.front() == &committed, "callback in the queue");
      report_.equal(0, committed.count, "completions before the queue is served");
    }
    handle_ = CollectionHandle();
    report_.equal(0, store_->umount(), "umount");
    delete store_;
  }

  void check_log(void* cct) {
    const char* bytes = static_cast<const char*>(cct);
    void** log;
    memcpy(&log, bytes + kCctLogOffset, sizeof log);
    report_.that(log && *log == ceph_log_vtable + 16, "no Log at kCctLogOffset");
    if (!log || *log != ceph_log_vtable + 16) return;

    // Ceph's defaults from osd on: osd, optracker, objclass, filestore, journal, ms, mon, monc.
    const char expected[] = {5, 5, 5, 3, 3, 0, 5, 10};
    for (size_t i = 0; i < sizeof expected; ++i) {
      report_.equal(int{expected[i]}, int{bytes[kCctLevelsOffset + kLogSubsystemOsd + i]},
                    "gathered level " + std::to_string(i) + " after that of osd");
    }

    std::string file = folder_ + "/log";
    ceph_log_start(log);
    ceph_log_file(log, file);
    ceph_log_reopen(log);
    Line line;
    line.stamp_ns = 1'600'000'000'123'456'789u;
    line.thread = 0x1234abcd;
    line.priority = -1;
    line.subsystem = kLogSubsystemOsd;
    ceph_log_submit(log, std::move(line));
    ceph_log_flush(log);
    std::ostringstream written;
    written << std::ifstream(file).rdbuf();
    for (const char* part : {":40.123", "1234abcd -1 a line of the test"}) {
      report_.that(written.str().find(part) != std::string::npos, std::string("no \"") + part + "\" in " + written.str());
    }
  }

  void check_before_mount() {
    Uuid fsid;
    for (size_t i = 0; i < sizeof fsid.bytes; ++i) fsid.bytes[i] = static_cast<uint8_t>(17 * i + 1);
    store_->set_fsid(fsid);
    report_.equal(0, store_->mkfs(), "mkfs");
    Uuid found = store_->get_fsid();
    report_.that(memcmp(&found, &fsid, sizeof fsid) == 0, "get_fsid");
    report_.equal(0, store_->write_meta("key_of_mine", "value of mine"), "write_meta");
    std::string value;
    report_.equal(0, store_->read_meta("key_of_mine", &value), "read_meta");
    report_.equal("value of mine", value, "read_meta");
    report_.that(!store_->test_mount_in_use(), "test_mount_in_use");
    store_->set_cache_shards(1);
    report_.equal(0, store_->mount(), "mount");
  }

  void check_properties() {
    report_.equal("memstore", store_->get_type(), "get_type");
    report_.that(!store_->needs_journal() && !store_->wants_journal() && !store_->allows_journal(), "journal");
    report_.that(store_->is_sync_onreadable(), "is_sync_onreadable");
    report_.that(!store_->can_sort_nibblewise(), "can_sort_nibblewise");
    report_.that(store_->is_rotational() && store_->is_journal_rotational(), "is_rotational, is_journal_rotational");
    report_.that(!store_->has_builtin_csum(), "has_builtin_csum");
    report_.equal(64, store_->get_ideal_list_max(), "get_ideal_list_max");
    report_.equal(256u, store_->get_max_attr_name_length(), "get_max_attr_name_length");
    report_.equal(0, store_->validate_hobject_key(object_.hobject), "validate_hobject_key");
    report_.equal(-EOPNOTSUPP, store_->get_numa_node(nullptr, nullptr, nullptr), "get_numa_node");
    report_.equal("hdd", store_->get_default_device_class(), "get_default_device_class");
    PerfStat stat = store_->get_cur_stats();
    report_.that(stat.commit_latency_ns == 0 && stat.apply_latency_ns == 0, "get_cur_stats");
    std::map<std::string, std::string> metadata;
    store_->collect_metadata(&metadata);
    report_.equal(-ENOTSUP, [this] {
      Statfs statfs;
      bool per_pool = true;
      return store_->pool_statfs(7, &statfs, &per_pool);
    }(), "pool_statfs");
  }

  uint32_t add_name(TransactionBytes& t, const GHObject& object) {
    auto index = static_cast<uint32_t>(t.objects.size());
    t.objects.emplace_back(object, index);
    return index;
  }

  void check_writes() {
    report_.that(store_->open_collection(cid_).get() == nullptr, "open_collection of an absent collection");
    handle_ = store_->create_new_collection(cid_);
    report_.that(handle_.get() != nullptr, "create_new_collection");
    report_.equal("", difference(cid_, handle_.get()->cid), "cid of the new collection");

    TransactionBytes t;
    t.collections.emplace_back(cid_, 0);
    Op op = {};
    op.op = kOpMakeCollection;
    op.split_bits = 3;
    t.add(op);
    op = {};
    op.oid = add_name(t, object_);
    op.op = kOpWrite;
    op.off = 100;
    op.len = data_.size();
    t.add(op);
    t.data += Wire().string(data_).bytes();
    op.off = op.len = 0;
    op.op = kOpSetAttrs;
    t.add(op);
    t.data += Wire().number(uint32_t{2}).string("_").string("oi").string("snapset").string("ss").bytes();
    op.op = kOpOmapSetKeys;
    t.add(op);
    t.data += Wire().number(uint32_t{3}).string("a").string("1").string("b").string("22").string("c").string("").bytes();
    op.op = kOpOmapSetHeader;
    t.add(op);
    t.data += Wire().string("header").bytes();
    op.op = kOpTouch;
    op.oid = add_name(t, second_);
    t.add(op);
    queue(t);
  }

  void queue(const TransactionBytes& bytes) {
    std::vector<CephTransaction> transactions(1);
    bufferlist encoded = bytes.encode();
    auto at = encoded.cbegin();
    ceph_decode(&transactions[0], at);
    Noted applied, committed, applied_sync;
    transactions[0].on_applied.push_back(&applied);
    transactions[0].on_commit.push_back(&committed);
    transactions[0].on_applied_sync.push_back(&applied_sync);
    const void* no_op = nullptr;  // TrackedOpRef by value: the address of an empty one
    report_.equal(0, store_->queue_transactions(handle_, transactions, &no_op, nullptr), "queue_transactions");
    applied.wait();
    committed.wait();
    report_.that(applied_sync.thread == std::this_thread::get_id(), "on_applied_sync is not run by the caller");
    report_.that(committed.thread != std::this_thread::get_id(), "on_commit is run by the caller");
    report_.that(applied_sync.place < applied.place && applied.place < committed.place, "order of the callbacks");
    report_.that(applied.result == 0 && committed.result == 0 && applied_sync.result == 0, "result of a callback");
    handle_.get()->flush();
    Noted unused;
    report_.that(handle_.get()->flush_commit(&unused), "flush_commit with nothing under way");
  }

  void check_reads() {
    report_.that(store_->exists(handle_, object_) && store_->exists(handle_, second_), "exists");
    GHObject other = object_;
    other.hobject.name = "third";
    report_.that(!store_->exists(handle_, other), "exists of an absent object");
    struct ::stat stat = {};
    report_.equal(0, store_->stat(handle_, object_, &stat, false), "stat");
    report_.equal(data_.size() + 100, static_cast<size_t>(stat.st_size), "st_size");
    report_.equal(-ENOENT, store_->stat(handle_, other, &stat, false), "stat of an absent object");

    bufferlist out;
    report_.equal(3000, store_->read(handle_, object_, 1100, 3000, out, 0), "read");
    report_.that(bytes_of(out) == data_.substr(1000, 3000), "bytes read");
    IntervalSet ranges = {};
    ranges.intervals[200] = 10;
    ranges.intervals[5000] = 20;
    ranges.total = 30;
    bufferlist pieces;
    report_.equal(30, store_->readv(handle_, object_, ranges, pieces, 0), "readv");
    report_.that(bytes_of(pieces) == data_.substr(100, 10) + data_.substr(4900, 20), "bytes of readv");

    std::map<uint64_t, uint64_t> extents;
    report_.equal(0, store_->fiemap(handle_, object_, 0, 20000, extents), "fiemap");
    report_.that(extents == std::map<uint64_t, uint64_t>{{0, data_.size() + 100}}, "extents");
    bufferlist encoded;
    report_.equal(0, store_->fiemap(handle_, object_, 0, 20000, encoded), "fiemap, encoded");
    std::string expected = Wire().number(uint32_t{1}).number(uint64_t{0}).number(uint64_t{data_.size() + 100}).bytes();
    report_.that(bytes_of(encoded) == expected, "encoded extents");

    Statfs statfs = {};
    Alerts alerts;
    report_.equal(0, store_->statfs(&statfs, &alerts), "statfs");
    report_.equal(kMemStoreBytes, statfs.total, "statfs total");
    report_.equal(kMemStoreBytes - data_.size() - 100, statfs.available, "statfs available");
    report_.equal(int64_t{0}, statfs.internal_metadata, "statfs internal_metadata");
  }

  void check_attributes() {
    bufferptr value;
    report_.equal(0, store_->getattr(handle_, object_, "_", value), "getattr");
    report_.equal("oi", std::string(value.c_str(), value.length()), "attribute _");
    report_.equal(-ENODATA, store_->getattr(handle_, object_, "nothing", value), "getattr of an absent attribute");
    std::map<std::string, bufferptr> all;
    report_.equal(0, store_->getattrs(handle_, object_, all), "getattrs");
    report_.equal(size_t{2}, all.size(), "number of attributes");
    for (const auto& [name, bytes] : all) {
      report_.equal(name == "_" ? "oi" : "ss", std::string(bytes.c_str(), bytes.length()), "attribute " + name);
    }
  }

  void check_collections() {
    std::vector<Coll> cids;
    report_.equal(0, store_->list_collections(cids), "list_collections");
    report_.equal(size_t{1}, cids.size(), "number of collections");
    if (cids.size() == 1) report_.equal("", difference(cid_, cids[0]), "listed collection");
    report_.that(store_->collection_exists(cid_) && !store_->collection_exists(absent_), "collection_exists");
    bool empty = true;
    report_.equal(0, store_->collection_empty(handle_, &empty), "collection_empty");
    report_.that(!empty, "collection_empty of a collection with objects");
    report_.equal(3, store_->collection_bits(handle_), "collection_bits");
    report_.that(store_->open_collection(cid_).get() == handle_.get(), "open_collection gives another handle");
    for (bool legacy : {false, true}) check_list(legacy);
  }

  void check_list(bool legacy) {
    auto list = [&](const GHObject& start, int max, std::vector<GHObject>* out, GHObject* next) {
      return legacy ? store_->collection_list_legacy(handle_, start, GHObject::last(), max, out, next)
                    : store_->collection_list(handle_, start, GHObject::last(), max, out, next);
    };
    std::vector<GHObject> objects;
    GHObject next;
    report_.equal(0, list(GHObject{}, 1, &objects, &next), "collection_list");
    report_.equal(size_t{1}, objects.size(), "objects listed, at most one");
    if (objects.size() == 1) report_.equal("", difference(object_, objects[0]), "first object listed");
    report_.equal("", difference(second_, next), "next of a listing");
    report_.equal(0, list(next, 10, &objects, &next), "collection_list");
    report_.equal(size_t{2}, objects.size(), "objects listed");
    if (objects.size() == 2) report_.equal("", difference(second_, objects[1]), "second object listed");
    report_.equal("", difference(GHObject::last(), next), "next at the end of a listing");
  }

  void check_omap() {
    bufferlist header;
    std::map<std::string, bufferlist> all;
    report_.equal(0, store_->omap_get(handle_, object_, &header, &all), "omap_get");
    report_.equal("header", bytes_of(header), "omap header");
    report_.equal(size_t{3}, all.size(), "omap entries");
    report_.equal("22", bytes_of(all["b"]), "omap value");
    bufferlist again;
    report_.equal(0, store_->omap_get_header(handle_, object_, &again, false), "omap_get_header");
    report_.equal("header", bytes_of(again), "omap_get_header");
    std::set<std::string> keys;
    report_.equal(0, store_->omap_get_keys(handle_, object_, &keys), "omap_get_keys");
    report_.that(keys == std::set<std::string>{"a", "b", "c"}, "omap_get_keys");
    std::map<std::string, bufferlist> some;
    report_.equal(0, store_->omap_get_values(handle_, object_, {"a", "x"}, &some), "omap_get_values");
    report_.that(some.size() == 1 && bytes_of(some["a"]) == "1", "omap_get_values");
    std::set<std::string> present;
    report_.equal(0, store_->omap_check_keys(handle_, object_, {"c", "x"}, &present), "omap_check_keys");
    report_.that(present == std::set<std::string>{"c"}, "omap_check_keys");
  }

  void check_iterator() {
    std::shared_ptr<OmapIteratorImpl> it = store_->get_omap_iterator(handle_, object_);
    report_.that(it != nullptr, "get_omap_iterator");
    if (!it) return;
    report_.equal(0, it->seek_to_first(), "seek_to_first");
    report_.that(it->valid() && it->key() == "a" && bytes_of(it->value()) == "1", "first entry");
    report_.equal(0, it->next(), "next");
    report_.equal("b", it->key(), "key after next");
    report_.equal(0, it->upper_bound("b"), "upper_bound");
    report_.equal("c", it->key(), "key after upper_bound b");
    report_.equal(0, it->lower_bound("b"), "lower_bound");
    report_.equal("b", it->key(), "key after lower_bound b");
    report_.equal(0, it->status(), "status");
    report_.equal(0, it->lower_bound("d"), "lower_bound");
    report_.that(!it->valid(), "valid after the last entry");
  }

  Report& report_;
  std::string data_;
  std::string folder_;
  GHObject object_, second_;
  Coll cid_, absent_;
  ObjectStore* store_ = nullptr;
  CollectionHandle handle_;
};

}  // namespace

void check_store(Report& report, Random& random, const std::string& data) { StoreCheck(report, random, data).run(); }

}  // namespace ustore::abi
