// Everything UStore knows about the binary interface of ceph-osd and ceph-objectstore-tool 16.2.15 (Debian 12, x86-64,
// libstdc++ with the C++11 string ABI): the only file, with the slot order it declares, that a further release needs a
// sibling of. The declarations are our own; the static assertions below and the tests that read the installed binaries
// hold them.
#pragma once

#include <rados/buffer.h>

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ustore {

using bufferlist = ceph::buffer::list;
using bufferptr = ceph::buffer::ptr;

// --- names of objects and collections -------------------------------------------------------------------------------

constexpr int64_t kPoolUnset = INT64_MIN;
constexpr uint64_t kNoGeneration = ~uint64_t{0};
constexpr int8_t kNoShard = -1;

inline uint32_t reverse_nibbles(uint32_t v) {
  v = ((v & 0x0f0f0f0fu) << 4) | ((v & 0xf0f0f0f0u) >> 4);
  return __builtin_bswap32(v);
}

inline uint32_t reverse_bits(uint32_t v) {
  v = ((v & 0x55555555u) << 1) | ((v & 0xaaaaaaaau) >> 1);
  v = ((v & 0x33333333u) << 2) | ((v & 0xccccccccu) >> 2);
  return reverse_nibbles(v);
}

// An object's name. Two derived forms of the hash are kept next to it and must always agree with it.
struct HObject {
  std::string name;
  uint64_t snap = 0;
  uint32_t hash = 0;
  bool max = false;
  uint32_t nibble_reversed_hash = 0;
  uint32_t bit_reversed_hash = 0;
  int64_t pool = kPoolUnset;
  std::string nspace;
  std::string key;

  void set_hash(uint32_t value) {
    hash = value;
    nibble_reversed_hash = reverse_nibbles(value);
    bit_reversed_hash = reverse_bits(value);
  }
};

// An object's full name with generation and shard. A default one sorts first.
struct GHObject {
  HObject hobject;
  uint64_t generation = kNoGeneration;
  int8_t shard = kNoShard;
  bool max = false;

  static GHObject last() {
    GHObject object;
    object.hobject.max = true;
    object.max = true;
    return object;
  }
};

enum class CollType : uint32_t { meta = 0, legacy_temp = 1, pg = 2, pg_temp = 3 };

// A collection's name. `text` holds its printed form, `str` points into it: copies must follow.
struct Coll {
  CollType type = CollType::meta;
  uint64_t pool = 0;
  uint32_t seed = 0;
  alignas(8) int8_t shard = kNoShard;
  uint64_t removal_seq = 0;
  char text[40] = {};
  char* str = text;

  Coll() = default;
  Coll(const Coll& other) { *this = other; }
  Coll& operator=(const Coll& other) {
    type = other.type;
    pool = other.pool;
    seed = other.seed;
    shard = other.shard;
    removal_seq = other.removal_seq;
    memcpy(text, other.text, sizeof text);
    str = text + (other.str - other.text);
    return *this;
  }
  std::string_view name() const { return str; }
};

// --- callbacks ------------------------------------------------------------------------------------------------------

// A callback of the OSD. complete() runs it and frees it.
struct Context {
  virtual void finish(int r) = 0;
  virtual bool sync_finish(int r) = 0;
  virtual ~Context() = default;
  virtual void complete(int r) = 0;
  virtual bool sync_complete(int r) = 0;
};

// Where callbacks of a PG's collection wait for the OSD thread that serves the PG.
struct ContextQueue {
  std::list<Context*> waiting;
  std::mutex lock;
  std::mutex* wake_lock;
  std::condition_variable* wake;
  std::atomic<bool> empty;

  // Appends all of `contexts`, which is empty afterwards; wakes the OSD if nothing waited before.
  void queue(std::list<Context*>& contexts) {
    bool was_empty;
    {
      std::lock_guard<std::mutex> guard(lock);
      was_empty = waiting.empty();
      waiting.splice(waiting.end(), contexts);
      empty.store(waiting.empty());
    }
    if (was_empty) {
      std::lock_guard<std::mutex> guard(*wake_lock);
      wake->notify_all();
    }
  }
};

// --- transactions ---------------------------------------------------------------------------------------------------

// Stands where std::map keeps its order; the shim only walks such maps.
struct NeverCompared {
  template <typename T>
  bool operator()(const T&, const T&) const {
    __builtin_trap();
  }
};

constexpr size_t kOpBytes = 72;

struct CephTransaction {
  uint64_t op_count;
  uint32_t largest_data_len;
  uint32_t largest_data_off;
  uint32_t largest_data_off_in_data;
  uint32_t fadvise_flags;
  std::map<Coll, uint32_t, NeverCompared> collections;
  std::map<GHObject, uint32_t, NeverCompared> objects;
  uint32_t next_collection;
  uint32_t next_object;
  bufferlist data;
  bufferlist ops;
  std::list<Context*> on_applied;
  std::list<Context*> on_commit;
  std::list<Context*> on_applied_sync;
};

// --- the store's interface ------------------------------------------------------------------------------------------

// What every handle counts references on. The OSD changes the count itself and deletes by the second slot.
struct RefCounted {
  std::atomic<uint64_t> references{1};
  void* cct;

  explicit RefCounted(void* cct) : cct(cct) {}
  virtual ~RefCounted() = default;
};

struct CollectionImpl : RefCounted {
  Coll cid;

  CollectionImpl(void* cct, const Coll& cid) : RefCounted(cct), cid(cid) {}
  virtual void flush() = 0;
  virtual bool flush_commit(Context* context) = 0;
};

// A counted pointer to a collection. Passed by reference, returned through a hidden pointer, as the OSD's own.
class CollectionHandle {
 public:
  CollectionHandle() = default;
  explicit CollectionHandle(CollectionImpl* impl) : impl_(impl) { retain(); }
  CollectionHandle(const CollectionHandle& other) : impl_(other.impl_) { retain(); }
  CollectionHandle(CollectionHandle&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  CollectionHandle& operator=(CollectionHandle other) {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~CollectionHandle() {
    if (impl_ && impl_->references.fetch_sub(1) == 1) delete impl_;
  }
  CollectionImpl* get() const { return impl_; }

 private:
  void retain() {
    if (impl_) impl_->references.fetch_add(1);
  }
  CollectionImpl* impl_ = nullptr;
};

struct OmapIteratorImpl {
  virtual int seek_to_first() = 0;
  virtual int upper_bound(const std::string& after) = 0;
  virtual int lower_bound(const std::string& to) = 0;
  virtual bool valid() = 0;
  virtual int next() = 0;
  virtual std::string key() = 0;
  virtual std::string tail_key() = 0;
  virtual bufferlist value() = 0;
  virtual int status() = 0;
  virtual ~OmapIteratorImpl() = default;
};

// The OSD's writer of JSON and XML; only its first slots are used.
struct Formatter {
  virtual ~Formatter() = default;
  virtual void enable_line_break() = 0;
  virtual void flush(std::ostream& out) = 0;
  virtual void reset() = 0;
  virtual void set_status(int status, const char* name) = 0;
  virtual void output_header() = 0;
  virtual void output_footer() = 0;
  virtual void open_array_section(std::string_view name) = 0;
  virtual void open_array_section_in_ns(std::string_view name, const char* ns) = 0;
  virtual void open_object_section(std::string_view name) = 0;
  virtual void open_object_section_in_ns(std::string_view name, const char* ns) = 0;
  virtual void close_section() = 0;
  virtual void dump_unsigned(std::string_view name, uint64_t value) = 0;
  virtual void dump_int(std::string_view name, int64_t value) = 0;
  virtual void dump_float(std::string_view name, double value) = 0;
  virtual void dump_string(std::string_view name, std::string_view value) = 0;
};

struct PerfStat {
  uint64_t commit_latency_ns;
  uint64_t apply_latency_ns;
};

struct Uuid {
  uint8_t bytes[16];
};

struct Statfs {
  uint64_t total;
  uint64_t available;
  uint64_t internally_reserved;
  int64_t allocated;
  int64_t data_stored;
  int64_t data_compressed;
  int64_t data_compressed_allocated;
  int64_t data_compressed_original;
  int64_t omap_allocated;
  int64_t internal_metadata;
};

struct IntervalSet {
  uint64_t total;
  std::map<uint64_t, uint64_t> intervals;
};

using Alerts = std::map<std::string, std::string>;

// The 76 slots, in the order of the release. `op` and `tp` stand for types the shim never looks into; pool options come
// as an opaque pointer.
struct ObjectStore {
  std::string path;
  void* cct;

  ObjectStore(void* cct, const std::string& path) : path(path), cct(cct) {}

  /*  0 */ virtual PerfStat get_cur_stats() = 0;
  /*  1 */ virtual const void* get_perf_counters() const = 0;
  /*  2 */ virtual int queue_transactions(
      CollectionHandle& ch, std::vector<CephTransaction>& transactions, const void* op, void* tp) = 0;
  /*  3, 4 */ virtual ~ObjectStore() = default;
  /*  5 */ virtual int upgrade() = 0;
  /*  6 */ virtual void get_db_statistics(Formatter* f) = 0;
  /*  7 */ virtual void generate_db_histogram(Formatter* f) = 0;
  /*  8 */ virtual int flush_cache(std::ostream* out) = 0;
  /*  9 */ virtual void dump_perf_counters(Formatter* f) = 0;
  /* 10 */ virtual void dump_cache_stats(Formatter* f) = 0;
  /* 11 */ virtual void dump_cache_stats(std::ostream& out) = 0;
  /* 12 */ virtual std::string get_type() = 0;
  /* 13 */ virtual bool test_mount_in_use() = 0;
  /* 14 */ virtual int mount() = 0;
  /* 15 */ virtual int umount() = 0;
  /* 16 */ virtual int fsck(bool deep) = 0;
  /* 17 */ virtual int repair(bool deep) = 0;
  /* 18 */ virtual int quick_fix() = 0;
  /* 19 */ virtual void set_cache_shards(unsigned shards) = 0;
  /* 20 */ virtual int validate_hobject_key(const HObject& object) const = 0;
  /* 21 */ virtual unsigned get_max_attr_name_length() = 0;
  /* 22 */ virtual int mkfs() = 0;
  /* 23 */ virtual int mkjournal() = 0;
  /* 24 */ virtual bool needs_journal() = 0;
  /* 25 */ virtual bool wants_journal() = 0;
  /* 26 */ virtual bool allows_journal() = 0;
  /* 27 */ virtual uint64_t get_min_alloc_size() const = 0;
  /* 28 */ virtual int get_devices(std::set<std::string>* devices) = 0;
  /* 29 */ virtual bool is_sync_onreadable() const = 0;
  /* 30 */ virtual bool is_rotational() = 0;
  /* 31 */ virtual bool is_journal_rotational() = 0;
  /* 32 */ virtual std::string get_default_device_class() = 0;
  /* 33 */ virtual int get_numa_node(int* node, std::set<int>* nodes, std::set<std::string>* failed) = 0;
  /* 34 */ virtual bool can_sort_nibblewise() = 0;
  /* 35 */ virtual int statfs(Statfs* out, Alerts* alerts) = 0;
  /* 36 */ virtual int pool_statfs(uint64_t pool, Statfs* out, bool* per_pool_omap) = 0;
  /* 37 */ virtual void collect_metadata(std::map<std::string, std::string>* out) = 0;
  /* 38 */ virtual int write_meta(const std::string& key, const std::string& value) = 0;
  /* 39 */ virtual int read_meta(const std::string& key, std::string* value) = 0;
  /* 40 */ virtual int get_ideal_list_max() = 0;
  /* 41 */ virtual CollectionHandle open_collection(const Coll& cid) = 0;
  /* 42 */ virtual CollectionHandle create_new_collection(const Coll& cid) = 0;
  /* 43 */ virtual void set_collection_commit_queue(const Coll& cid, ContextQueue* queue) = 0;
  /* 44 */ virtual bool exists(CollectionHandle& ch, const GHObject& object) = 0;
  /* 45 */ virtual int set_collection_opts(CollectionHandle& ch, const void* options) = 0;
  /* 46 */ virtual int stat(CollectionHandle& ch, const GHObject& object, struct ::stat* out, bool allow_eio) = 0;
  /* 47 */ virtual int read(
      CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length, bufferlist& out, uint32_t flags) = 0;
  /* 48 */ virtual int fiemap(
      CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length, bufferlist& out) = 0;
  /* 49 */ virtual int fiemap(
      CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length,
      std::map<uint64_t, uint64_t>& out) = 0;
  /* 50 */ virtual int readv(
      CollectionHandle& ch, const GHObject& object, IntervalSet& ranges, bufferlist& out, uint32_t flags) = 0;
  /* 51 */ virtual int dump_onode(
      CollectionHandle& ch, const GHObject& object, const std::string& section, Formatter* f) = 0;
  /* 52 */ virtual int getattr(CollectionHandle& ch, const GHObject& object, const char* name, bufferptr& value) = 0;
  /* 53 */ virtual int getattrs(
      CollectionHandle& ch, const GHObject& object, std::map<std::string, bufferptr>& out) = 0;
  /* 54 */ virtual int list_collections(std::vector<Coll>& out) = 0;
  /* 55 */ virtual bool collection_exists(const Coll& cid) = 0;
  /* 56 */ virtual int collection_empty(CollectionHandle& ch, bool* empty) = 0;
  /* 57 */ virtual int collection_bits(CollectionHandle& ch) = 0;
  /* 58 */ virtual int collection_list(
      CollectionHandle& ch, const GHObject& start, const GHObject& end, int max, std::vector<GHObject>* out,
      GHObject* next) = 0;
  /* 59 */ virtual int collection_list_legacy(
      CollectionHandle& ch, const GHObject& start, const GHObject& end, int max, std::vector<GHObject>* out,
      GHObject* next) = 0;
  /* 60 */ virtual int omap_get(
      CollectionHandle& ch, const GHObject& object, bufferlist* header, std::map<std::string, bufferlist>* out) = 0;
  /* 61 */ virtual int omap_get_header(
      CollectionHandle& ch, const GHObject& object, bufferlist* header, bool allow_eio) = 0;
  /* 62 */ virtual int omap_get_keys(CollectionHandle& ch, const GHObject& object, std::set<std::string>* keys) = 0;
  /* 63 */ virtual int omap_get_values(
      CollectionHandle& ch, const GHObject& object, const std::set<std::string>& keys,
      std::map<std::string, bufferlist>* out) = 0;
  /* 64 */ virtual int omap_check_keys(
      CollectionHandle& ch, const GHObject& object, const std::set<std::string>& keys,
      std::set<std::string>* out) = 0;
  /* 65 */ virtual std::shared_ptr<OmapIteratorImpl> get_omap_iterator(
      CollectionHandle& ch, const GHObject& object) = 0;
  /* 66 */ virtual int flush_journal() = 0;
  /* 67 */ virtual int dump_journal(std::ostream& out) = 0;
  /* 68 */ virtual int snapshot(const std::string& name) = 0;
  /* 69 */ virtual void set_fsid(Uuid fsid) = 0;
  /* 70 */ virtual Uuid get_fsid() = 0;
  /* 71 */ virtual uint64_t estimate_objects_overhead(uint64_t objects) = 0;
  /* 72 */ virtual void inject_data_error(const GHObject& object) = 0;
  /* 73 */ virtual void inject_mdata_error(const GHObject& object) = 0;
  /* 74 */ virtual void compact() = 0;
  /* 75 */ virtual bool has_builtin_csum() const = 0;
};

// --- the log --------------------------------------------------------------------------------------------------------

// One line for the OSD's log, which copies it before submit_entry returns.
struct LogEntry {
  uint64_t stamp_ns;
  bool stamp_coarse = false;
  pthread_t thread;
  int16_t priority;
  int16_t subsystem;

  virtual ~LogEntry() = default;
  virtual std::string_view text() const = 0;
  virtual size_t size() const = 0;
};

constexpr size_t kCctLogOffset = 14344;     // CephContext: pointer to its Log
constexpr size_t kCctLevelsOffset = 160;    // CephContext: one byte per subsystem, the level that is gathered
constexpr int16_t kLogSubsystemOsd = 24;

// --- functions the executable exports -------------------------------------------------------------------------------

void ceph_log_submit(void* log, LogEntry&& entry) asm("_ZN4ceph7logging3Log12submit_entryEONS0_5EntryE");
void ceph_log_flush(void* log) asm("_ZN4ceph7logging3Log5flushEv");
[[noreturn]] void ceph_abort(const char* file, int line, const char* function, const std::string& message) asm(
    "_ZN4ceph12__ceph_abortEPKciS1_RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
void ceph_coll_calc_str(Coll* coll) asm("_ZN6coll_t8calc_strEv");
extern char ceph_log_vtable[] asm("_ZTVN4ceph7logging3LogE");

// --- layout, as the release has it ----------------------------------------------------------------------------------

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(sizeof(HObject) == 128 && offsetof(HObject, snap) == 32 && offsetof(HObject, hash) == 40);
static_assert(offsetof(HObject, max) == 44 && offsetof(HObject, nibble_reversed_hash) == 48);
static_assert(offsetof(HObject, pool) == 56 && offsetof(HObject, nspace) == 64 && offsetof(HObject, key) == 96);
static_assert(sizeof(GHObject) == 144 && offsetof(GHObject, generation) == 128 && offsetof(GHObject, shard) == 136);
static_assert(offsetof(GHObject, max) == 137);
static_assert(sizeof(Coll) == 88 && offsetof(Coll, pool) == 8 && offsetof(Coll, seed) == 16);
static_assert(offsetof(Coll, shard) == 24 && offsetof(Coll, removal_seq) == 32 && offsetof(Coll, text) == 40);
static_assert(offsetof(Coll, str) == 80);
static_assert(sizeof(Context) == 8);
static_assert(sizeof(ContextQueue) == 88 && offsetof(ContextQueue, lock) == 24);
static_assert(offsetof(ContextQueue, wake_lock) == 64 && offsetof(ContextQueue, wake) == 72);
static_assert(offsetof(ContextQueue, empty) == 80);
static_assert(sizeof(CephTransaction) == 264 && offsetof(CephTransaction, fadvise_flags) == 20);
static_assert(offsetof(CephTransaction, collections) == 24 && offsetof(CephTransaction, objects) == 72);
static_assert(offsetof(CephTransaction, next_collection) == 120 && offsetof(CephTransaction, data) == 128);
static_assert(offsetof(CephTransaction, ops) == 160 && offsetof(CephTransaction, on_applied) == 192);
static_assert(offsetof(CephTransaction, on_commit) == 216 && offsetof(CephTransaction, on_applied_sync) == 240);
static_assert(sizeof(bufferlist) == 32 && sizeof(bufferptr) == 16);
static_assert(sizeof(RefCounted) == 24 && offsetof(RefCounted, references) == 8 && offsetof(RefCounted, cct) == 16);
static_assert(sizeof(CollectionImpl) == 112 && offsetof(CollectionImpl, cid) == 24);
static_assert(sizeof(CollectionHandle) == 8);
static_assert(sizeof(Statfs) == 80 && sizeof(PerfStat) == 16 && sizeof(Uuid) == 16);
static_assert(sizeof(IntervalSet) == 56 && offsetof(IntervalSet, intervals) == 8);
static_assert(sizeof(ObjectStore) == 48 && offsetof(ObjectStore, path) == 8 && offsetof(ObjectStore, cct) == 40);
static_assert(sizeof(LogEntry) == 40 && offsetof(LogEntry, stamp_ns) == 8 && offsetof(LogEntry, thread) == 24);
static_assert(offsetof(LogEntry, priority) == 32 && offsetof(LogEntry, subsystem) == 34);
#pragma GCC diagnostic pop

}  // namespace ustore
