// The object store a stock OSD sees: 76 slots, each of which hands its work to Java (see jvm.h) in the neutral form of
// neutral.h and turns the answer into the containers of the caller.

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>

#include "commit.h"
#include "conf.h"
#include "device.h"
#include "jvm.h"
#include "log.h"
#include "neutral.h"
#include "profile_16.h"
#include "record.h"

namespace ustore {
namespace {

constexpr int kIdealListMax = 64;
constexpr unsigned kMaxAttrNameLength = 256;
constexpr uint64_t kBlockBytes = 4096;
constexpr uint64_t kOnodeBytes = 300;  // memory one more object costs, a round figure for quota estimates
constexpr const char* kMkfsDone = "mkfs_done";

template <typename T>
int64_t address_of(const T* pointer) {
  return reinterpret_cast<int64_t>(pointer);
}

// --- collections ----------------------------------------------------------------------------------------------------

class JavaCollection final : public CollectionImpl {
 public:
  JavaCollection(void* cct, const Coll& cid, jobject object, Finisher& finisher)
      : CollectionImpl(cct, cid), order(finisher), object_(object) {}
  ~JavaCollection() override { drop(object_); }

  void flush() override { call(bridge().flush, object_); }
  bool flush_commit(Context* context) override { return order.flush_commit(context); }

  jobject object() const { return object_; }

  CommitOrder order;

 private:
  jobject object_;
};

jobject java(const CollectionHandle& ch) { return static_cast<JavaCollection*>(ch.get())->object(); }

// --- omap iterator --------------------------------------------------------------------------------------------------

// Walks entries that Java hands over in chunks: few after a seek, since most callers look at one, then more.
class JavaOmapIterator final : public OmapIteratorImpl {
 public:
  explicit JavaOmapIterator(jobject object) : object_(object) {}
  JavaOmapIterator(const JavaOmapIterator&) = delete;
  JavaOmapIterator& operator=(const JavaOmapIterator&) = delete;
  ~JavaOmapIterator() override {
    call(bridge().iteratorClose, object_);
    drop(object_);
  }

  int seek_to_first() override { return seek(0, ""); }
  int lower_bound(const std::string& to) override { return seek(1, to); }
  int upper_bound(const std::string& after) override { return seek(2, after); }
  bool valid() override { return at_ < entries_.size(); }
  int next() override {
    if (!valid()) return status_ < 0 ? status_ : -1;
    if (++at_ < entries_.size() || exhausted_) return 0;
    Reply reply;
    return take(call(bridge().iteratorNext, object_, static_cast<jint>(chunk_), reply.address()), reply);
  }
  std::string key() override { return valid() ? entries_[at_].first : std::string(); }
  std::string tail_key() override { return {}; }
  bufferlist value() override {
    bufferlist out;
    if (valid()) out.append(entries_[at_].second.data(), static_cast<unsigned>(entries_[at_].second.size()));
    return out;
  }
  int status() override { return status_; }

 private:
  static constexpr int kFirstChunk = 4;
  static constexpr int kLargestChunk = 256;

  int seek(jint mode, const std::string& key) {
    chunk_ = kFirstChunk;
    Reply reply;
    return take(call(bridge().iteratorSeek, object_, mode, address_of(key.data()), static_cast<jint>(key.size()),
                     static_cast<jint>(chunk_), reply.address()),
                reply);
  }

  // Java has filled `count` entries, fewer than asked only at the end.
  int take(jlong count, const Reply& reply) {
    entries_.clear();
    at_ = 0;
    if (count < 0) {
      exhausted_ = true;
      return status_ = static_cast<int>(count);
    }
    ReplyReader in(reply);
    exhausted_ = in.number<uint32_t>() != 0;
    entries_.reserve(static_cast<size_t>(count));
    for (jlong i = 0; i < count; ++i) {
      std::string key(in.string());
      entries_.emplace_back(std::move(key), std::string(in.string()));
    }
    chunk_ = chunk_ * 4 < kLargestChunk ? chunk_ * 4 : kLargestChunk;
    return status_ = 0;
  }

  jobject object_;
  std::vector<std::pair<std::string, std::string>> entries_;
  size_t at_ = 0;
  int chunk_ = kFirstChunk;
  bool exhausted_ = true;
  int status_ = 0;
};

// --- transactions ---------------------------------------------------------------------------------------------------

struct Piece {
  uint64_t address;
  uint64_t bytes;
};

// The descriptors of one queue_transactions call. One per thread, so that its memory is reused.
class Descriptors {
 public:
  void add(CephTransaction& t) {
    TransactionDescriptor d = {};
    d.op_count = t.op_count;
    d.ops_bytes = t.ops.length();
    d.ops = d.ops_bytes ? reinterpret_cast<uint64_t>(t.ops.c_str()) : 0;
    d.pieces = pieces_.size();
    for (const auto& piece : t.data.buffers()) {
      if (piece.length()) pieces_.push_back({reinterpret_cast<uint64_t>(piece.c_str()), piece.length()});
    }
    d.piece_count = pieces_.size() - d.pieces;
    d.collections = tables_.size();
    d.collection_count = t.collections.size();
    for (const auto& [cid, index] : t.collections) {
      uint8_t* at = grow(8 + kCollectionBytes);
      put_entry_header(at, index, 0);
      NeutralCollection neutral(cid);
      memcpy(at + 8, &neutral, sizeof neutral);
    }
    d.objects = tables_.size();
    d.object_count = t.objects.size();
    for (const auto& [object, index] : t.objects) {
      size_t bytes = neutral_size(object);
      uint8_t* at = grow(8 + ((bytes + 7) & ~size_t{7}));
      put_entry_header(at, index, static_cast<uint32_t>(bytes));
      put_neutral(object, at + 8);
    }
    d.objects_bytes = tables_.size() - d.objects;
    descriptors_.push_back(d);
  }

  // Turns offsets into addresses, once nothing grows any more.
  const std::vector<TransactionDescriptor>& finish() {
    for (TransactionDescriptor& d : descriptors_) {
      d.pieces = reinterpret_cast<uint64_t>(pieces_.data() + d.pieces);
      d.collections = reinterpret_cast<uint64_t>(tables_.data() + d.collections);
      d.objects = reinterpret_cast<uint64_t>(tables_.data() + d.objects);
    }
    return descriptors_;
  }

  void clear() {
    descriptors_.clear();
    pieces_.clear();
    tables_.clear();
    if (tables_.capacity() > kKeptBytes) tables_.shrink_to_fit();
  }

 private:
  static constexpr size_t kKeptBytes = 1u << 20;

  uint8_t* grow(size_t bytes) {
    size_t at = tables_.size();
    tables_.resize(at + bytes);  // zeros
    return tables_.data() + at;
  }
  static void put_entry_header(uint8_t* at, uint32_t index, uint32_t bytes) {
    memcpy(at, &index, sizeof index);
    memcpy(at + 4, &bytes, sizeof bytes);
  }

  std::vector<TransactionDescriptor> descriptors_;
  std::vector<Piece> pieces_;
  std::vector<uint8_t> tables_;
};

// Keys for omap look-ups: u32 length, then the bytes, one after the other.
std::string encode_keys(const std::set<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) {
    auto length = static_cast<uint32_t>(key.size());
    out.append(reinterpret_cast<const char*>(&length), sizeof length);
    out.append(key);
  }
  return out;
}

void append(bufferlist& out, std::string_view bytes) {
  if (!bytes.empty()) out.append(bytes.data(), static_cast<unsigned>(bytes.size()));
}

// --- the small files beside the store -------------------------------------------------------------------------------

bool meta_key_valid(const std::string& key) {
  return !key.empty() && key.find('/') == std::string::npos && key[0] != '.';
}

// Replaces <folder>/<key> so that after a crash either the old or the new content is there.
int write_file(const std::string& folder, const std::string& key, const std::string& content) {
  std::string path = folder + "/" + key;
  std::string temporary = path + ".tmp";
  int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return -errno;
  int r = 0;
  for (size_t done = 0; done < content.size() && r == 0;) {
    ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno != EINTR) r = -errno;
    if (n > 0) done += static_cast<size_t>(n);
  }
  if (r == 0 && fsync(fd) != 0) r = -errno;
  if (close(fd) != 0 && r == 0) r = -errno;
  if (r == 0 && rename(temporary.c_str(), path.c_str()) != 0) r = -errno;
  if (r != 0) {
    unlink(temporary.c_str());
    return r;
  }
  int dir = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return -errno;
  if (fsync(dir) != 0) r = -errno;
  close(dir);
  return r;
}

bool is_zero(const Uuid& uuid) {
  for (uint8_t b : uuid.bytes) {
    if (b) return false;
  }
  return true;
}

std::string print(const Uuid& uuid) {
  char text[37];
  const uint8_t* b = uuid.bytes;
  snprintf(text, sizeof text, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
           b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  return text;
}

bool parse(const std::string& text, Uuid& out) {
  if (text.size() != 36) return false;
  size_t at = 0;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      if (text[at++] != '-') return false;
    }
    unsigned value;
    if (sscanf(text.c_str() + at, "%2x", &value) != 1) return false;
    out.bytes[i] = static_cast<uint8_t>(value);
    at += 2;
  }
  return true;
}

// --- the store ------------------------------------------------------------------------------------------------------

class JavaStore final : public ObjectStore {
 public:
  JavaStore(void* cct, const std::string& data, const std::string& home) : ObjectStore(cct, data), home_(home) {}
  ~JavaStore() override {
    finisher_.stop();
    collections_.clear();
    drop(store_);
  }

  PerfStat get_cur_stats() override;
  const void* get_perf_counters() const override { return nullptr; }
  int queue_transactions(CollectionHandle& ch, std::vector<CephTransaction>& transactions, const void*, void*) override;

  int upgrade() override { return 0; }
  void get_db_statistics(Formatter* f) override { dump_metadata(f); }
  void generate_db_histogram(Formatter* f) override { dump_metadata(f); }
  int flush_cache(std::ostream* out) override {
    if (out) *out << "ustore keeps no cache that can be dropped";
    return -EOPNOTSUPP;
  }
  void dump_perf_counters(Formatter* f) override { dump_metadata(f); }
  void dump_cache_stats(Formatter* f) override { dump_metadata(f); }
  void dump_cache_stats(std::ostream& out) override {
    for (const auto& [key, value] : metadata()) out << key << " = " << value << "\n";
  }
  std::string get_type() override { return "ustore"; }
  // A store in use is refused by mount itself, which holds a lock on the device.
  bool test_mount_in_use() override { return false; }
  int mount() override;
  int umount() override;
  int fsck(bool deep) override;
  int repair(bool) override { return unsupported("repair; fsck says what is wrong"); }
  int quick_fix() override { return unsupported("quick-fix; fsck says what is wrong"); }
  void set_cache_shards(unsigned) override {}
  int validate_hobject_key(const HObject&) const override { return 0; }
  unsigned get_max_attr_name_length() override { return kMaxAttrNameLength; }
  int mkfs() override;
  int mkjournal() override { return 0; }
  bool needs_journal() override { return false; }
  bool wants_journal() override { return false; }
  bool allows_journal() override { return false; }
  uint64_t get_min_alloc_size() const override { return kBlockBytes; }
  int get_devices(std::set<std::string>* devices) override {
    std::string name = disk().name;
    if (!name.empty()) devices->insert(name);
    return 0;
  }
  bool is_sync_onreadable() const override { return true; }
  bool is_rotational() override { return disk().rotational; }
  bool is_journal_rotational() override { return is_rotational(); }
  std::string get_default_device_class() override { return is_rotational() ? "hdd" : "ssd"; }
  int get_numa_node(int*, std::set<int>*, std::set<std::string>*) override { return -EOPNOTSUPP; }
  bool can_sort_nibblewise() override { return false; }
  int statfs(Statfs* out, Alerts* alerts) override;
  int pool_statfs(uint64_t pool, Statfs* out, bool* per_pool_omap) override;
  void collect_metadata(std::map<std::string, std::string>* out) override;
  int write_meta(const std::string& key, const std::string& value) override;
  int read_meta(const std::string& key, std::string* value) override;
  int get_ideal_list_max() override { return kIdealListMax; }

  CollectionHandle open_collection(const Coll& cid) override { return handle_of(cid, bridge().openCollection); }
  CollectionHandle create_new_collection(const Coll& cid) override {
    return handle_of(cid, bridge().createCollection);
  }
  void set_collection_commit_queue(const Coll& cid, ContextQueue* queue) override;
  bool exists(CollectionHandle& ch, const GHObject& object) override {
    return call(bridge().exists, java(ch), NeutralObject(object).address()) > 0;
  }
  int set_collection_opts(CollectionHandle&, const void*) override { return -EOPNOTSUPP; }
  int stat(CollectionHandle& ch, const GHObject& object, struct ::stat* out, bool allow_eio) override;
  int read(CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length, bufferlist& out,
           uint32_t flags) override;
  int fiemap(CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length, bufferlist& out) override;
  int fiemap(CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length,
             std::map<uint64_t, uint64_t>& out) override;
  int readv(CollectionHandle& ch, const GHObject& object, IntervalSet& ranges, bufferlist& out,
            uint32_t flags) override;
  int dump_onode(CollectionHandle& ch, const GHObject& object, const std::string& section, Formatter* f) override;
  int getattr(CollectionHandle& ch, const GHObject& object, const char* name, bufferptr& value) override;
  int getattrs(CollectionHandle& ch, const GHObject& object, std::map<std::string, bufferptr>& out) override;
  int list_collections(std::vector<Coll>& out) override;
  bool collection_exists(const Coll& cid) override {
    return call(bridge().collectionExists, store_, NeutralCollection(cid).address()) > 0;
  }
  int collection_empty(CollectionHandle& ch, bool* empty) override {
    jlong r = call(bridge().collectionEmpty, java(ch));
    if (r >= 0) *empty = r > 0;
    return r < 0 ? static_cast<int>(r) : 0;
  }
  int collection_bits(CollectionHandle& ch) override {
    return static_cast<int>(call(bridge().collectionBits, java(ch)));
  }
  int collection_list(CollectionHandle& ch, const GHObject& start, const GHObject& end, int max,
                      std::vector<GHObject>* out, GHObject* next) override;
  int collection_list_legacy(CollectionHandle& ch, const GHObject& start, const GHObject& end, int max,
                             std::vector<GHObject>* out, GHObject* next) override {
    return collection_list(ch, start, end, max, out, next);
  }
  int omap_get(CollectionHandle& ch, const GHObject& object, bufferlist* header,
               std::map<std::string, bufferlist>* out) override;
  int omap_get_header(CollectionHandle& ch, const GHObject& object, bufferlist* header, bool allow_eio) override;
  int omap_get_keys(CollectionHandle& ch, const GHObject& object, std::set<std::string>* keys) override;
  int omap_get_values(CollectionHandle& ch, const GHObject& object, const std::set<std::string>& keys,
                      std::map<std::string, bufferlist>* out) override;
  int omap_check_keys(CollectionHandle& ch, const GHObject& object, const std::set<std::string>& keys,
                      std::set<std::string>* out) override;
  std::shared_ptr<OmapIteratorImpl> get_omap_iterator(CollectionHandle& ch, const GHObject& object) override;
  int flush_journal() override { return -EOPNOTSUPP; }
  int dump_journal(std::ostream&) override { return -EOPNOTSUPP; }
  int snapshot(const std::string&) override { return -EOPNOTSUPP; }
  void set_fsid(Uuid fsid) override { fsid_ = fsid; }
  Uuid get_fsid() override;
  uint64_t estimate_objects_overhead(uint64_t objects) override { return objects * kOnodeBytes; }
  void inject_data_error(const GHObject&) override { unsupported("error injection"); }
  void inject_mdata_error(const GHObject&) override { unsupported("error injection"); }
  void compact() override { log_line(kLogInfo, "ustore: nothing to compact; the store does it by itself"); }
  bool has_builtin_csum() const override { return true; }

 private:
  using Key = std::tuple<uint32_t, uint64_t, uint32_t, int8_t>;
  static Key key_of(const Coll& cid) { return {static_cast<uint32_t>(cid.type), cid.pool, cid.seed, cid.shard}; }

  int open();
  bool read_fsid(Uuid& out);
  CollectionHandle handle_of(const Coll& cid, jmethodID method);
  void forget_removed(const Reply& reply, jlong count);
  std::map<std::string, std::string> metadata();
  void dump_metadata(Formatter* f);
  DiskFacts disk();
  int unsupported(const char* what) const {
    log_format(kLogWarning, "ustore: not supported: %s", what);
    return -EOPNOTSUPP;
  }
  [[noreturn]] void stop_on_failed_transaction(jlong r, const Reply& reply);

  const std::string home_;
  jobject store_ = nullptr;  // once opened
  Uuid fsid_ = {};
  Finisher finisher_;

  std::mutex collections_lock_;
  std::map<Key, CollectionHandle> collections_;  // one handle per collection, as long as it exists

  std::atomic<uint64_t> commit_ns_{0};
  std::atomic<uint64_t> apply_ns_{0};
  std::atomic<uint64_t> commits_{0};
  std::atomic<uint64_t> applies_{0};
  std::mutex stats_lock_;
  uint64_t stats_at_ns_ = 0;
  uint64_t last_[4] = {};
  PerfStat stats_ = {};
};

// --- life -----------------------------------------------------------------------------------------------------------

// The JVM and the Java store, at first need. Reasons of a failure are in the log.
int JavaStore::open() {
  if (store_) return 0;
  if (!jvm_start(path, home_)) return -EINVAL;
  JNIEnv* env = jvm_env();
  jstring data = env->NewStringUTF(path.c_str());
  bool failed = false;
  store_ = call_object(bridge().open, &failed, data);
  env->DeleteLocalRef(data);
  if (!store_) return -EINVAL;
  return 0;
}

int JavaStore::mkfs() {
  std::string done;
  Uuid existing;
  bool have_fsid = read_fsid(existing);
  if (read_meta(kMkfsDone, &done) == 0 && done == "yes") {
    if (!have_fsid || is_zero(fsid_) || memcmp(&existing, &fsid_, sizeof fsid_) == 0) return 0;
    log_format(kLogError,
               "ustore: mkfs for OSD %s refused: %s already holds the store of OSD %s. Next: use an empty folder, or "
               "--osd-uuid %s.",
               print(fsid_).c_str(), path.c_str(), print(existing).c_str(), print(existing).c_str());
    return -EEXIST;
  }
  if (is_zero(fsid_)) {
    std::string random;
    if (have_fsid) {
      fsid_ = existing;
    } else if (int r = read_file("/proc/sys/kernel/random/uuid", random); r < 0) {
      return r;
    } else if (!parse(random.substr(0, 36), fsid_)) {
      return -EIO;
    }
  }
  if (int r = open(); r < 0) return r;
  uint64_t high = 0;
  uint64_t low = 0;
  memcpy(&high, fsid_.bytes, sizeof high);
  memcpy(&low, fsid_.bytes + 8, sizeof low);
  jlong r = call(bridge().mkfs, store_, static_cast<jlong>(__builtin_bswap64(high)),
                 static_cast<jlong>(__builtin_bswap64(low)));
  if (r < 0) return static_cast<int>(r);
  int w = write_meta("fsid", print(fsid_));
  if (w == 0) w = write_meta("type", "ustore");
  return w == 0 ? write_meta(kMkfsDone, "yes") : w;
}

int JavaStore::mount() {
  if (int r = open(); r < 0) return r;
  jlong r = call(bridge().mount, store_);
  if (r < 0) return static_cast<int>(r);
  finisher_.start();
  if (recording()) log_line(kLogWarning, "ustore: USTORE_RECORD is set; transactions are recorded");
  return 0;
}

int JavaStore::umount() {
  if (!store_) return -EINVAL;
  jlong r = call(bridge().umount, store_);  // returns once every commit has been reported
  finisher_.stop();
  std::map<Key, CollectionHandle> dropped;
  {
    std::lock_guard<std::mutex> guard(collections_lock_);
    dropped.swap(collections_);
  }
  return static_cast<int>(r);
}

int JavaStore::fsck(bool deep) {
  if (int r = open(); r < 0) return r;
  return static_cast<int>(call(bridge().fsck, store_, static_cast<jboolean>(deep)));
}

bool JavaStore::read_fsid(Uuid& out) {
  std::string text;
  return read_meta("fsid", &text) == 0 && parse(text, out);
}

Uuid JavaStore::get_fsid() {
  if (is_zero(fsid_)) {
    Uuid found;
    if (read_fsid(found)) fsid_ = found;
  }
  return fsid_;
}

int JavaStore::write_meta(const std::string& key, const std::string& value) {
  return meta_key_valid(key) ? write_file(path, key, value + "\n") : -EINVAL;
}

int JavaStore::read_meta(const std::string& key, std::string* value) {
  if (!meta_key_valid(key)) return -EINVAL;
  std::string text;
  if (int r = read_file(path + "/" + key, text); r < 0) return r;
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  *value = text;
  return 0;
}

DiskFacts JavaStore::disk() {
  JvmConf conf;
  std::string error;
  load_conf(path, conf, error);  // what is wrong with it is said at mount
  return disk_of(conf.device[0] == '/' ? conf.device : path + "/" + conf.device);
}

// --- statistics -----------------------------------------------------------------------------------------------------

// Means over the time since the last look, at least one second.
PerfStat JavaStore::get_cur_stats() {
  std::lock_guard<std::mutex> guard(stats_lock_);
  uint64_t now = now_ns();
  if (now - stats_at_ns_ < 1000000000u) return stats_;
  stats_at_ns_ = now;
  uint64_t values[4] = {commit_ns_, commits_, apply_ns_, applies_};
  auto mean = [&](int time, int count) {
    uint64_t n = values[count] - last_[count];
    return n ? (values[time] - last_[time]) / n : 0;
  };
  stats_ = {mean(0, 1), mean(2, 3)};
  memcpy(last_, values, sizeof last_);
  return stats_;
}

int JavaStore::statfs(Statfs* out, Alerts*) {
  *out = {};
  return store_ ? static_cast<int>(call(bridge().statfs, store_, address_of(out))) : -ENODEV;
}

int JavaStore::pool_statfs(uint64_t pool, Statfs* out, bool* per_pool_omap) {
  *out = {};
  *per_pool_omap = true;
  return static_cast<int>(call(bridge().poolStatfs, store_, static_cast<jlong>(pool), address_of(out)));
}

std::map<std::string, std::string> JavaStore::metadata() {
  std::map<std::string, std::string> out;
  if (!store_) return out;
  Reply reply;
  jlong count = call(bridge().metadata, store_, reply.address());
  if (count <= 0) return out;
  ReplyReader in(reply);
  for (jlong i = 0; i < count; ++i) {
    std::string key(in.string());
    out[key] = in.string();
  }
  return out;
}

void JavaStore::collect_metadata(std::map<std::string, std::string>* out) {
  for (const auto& [key, value] : metadata()) (*out)["ustore_" + key] = value;
  DiskFacts facts = disk();
  (*out)["rotational"] = facts.rotational ? "1" : "0";
  (*out)["journal_rotational"] = facts.rotational ? "1" : "0";
  if (!facts.name.empty()) (*out)["devices"] = facts.name;
  (*out)["default_device_class"] = facts.rotational ? "hdd" : "ssd";
}

void JavaStore::dump_metadata(Formatter* f) {
  f->open_object_section("ustore");
  for (const auto& [key, value] : metadata()) f->dump_string(key, value);
  f->close_section();
}

// --- collections ----------------------------------------------------------------------------------------------------

// The handle of the collection as `method` of Java gives it: always the same one while the collection exists.
CollectionHandle JavaStore::handle_of(const Coll& cid, jmethodID method) {
  std::lock_guard<std::mutex> guard(collections_lock_);
  bool failed = false;
  NeutralCollection neutral(cid);
  jobject object = call_object(method, &failed, store_, neutral.address());
  if (failed) stop_process("ustore: opening collection " + std::string(cid.name()) + " failed", __func__);
  if (!object) return {};
  auto found = collections_.find(key_of(cid));
  if (found != collections_.end()) {
    if (jvm_env()->IsSameObject(java(found->second), object)) {
      drop(object);
      return found->second;
    }
    collections_.erase(found);
  }
  auto* impl = new JavaCollection(cct, cid, object, finisher_);
  CollectionHandle handle(impl);
  impl->references.fetch_sub(1);  // the one it was born with
  collections_.emplace(key_of(cid), handle);
  return handle;
}

void JavaStore::set_collection_commit_queue(const Coll& cid, ContextQueue* queue) {
  std::lock_guard<std::mutex> guard(collections_lock_);
  auto found = collections_.find(key_of(cid));
  if (found != collections_.end()) static_cast<JavaCollection*>(found->second.get())->order.set_queue(queue);
}

// Lets go of the handles of collections a transaction removed; the OSD may hold them longer.
void JavaStore::forget_removed(const Reply& reply, jlong count) {
  ReplyReader in(reply);
  std::vector<CollectionHandle> dropped;
  std::lock_guard<std::mutex> guard(collections_lock_);
  for (jlong i = 0; i < count; ++i) {
    auto found = collections_.find(key_of(read_collection(in)));
    if (found == collections_.end()) continue;
    dropped.push_back(std::move(found->second));
    collections_.erase(found);
  }
}

int JavaStore::list_collections(std::vector<Coll>& out) {
  Reply reply;
  jlong count = call(bridge().listCollections, store_, reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  out.reserve(out.size() + static_cast<size_t>(count));
  for (jlong i = 0; i < count; ++i) out.push_back(read_collection(in));
  return 0;
}

int JavaStore::collection_list(CollectionHandle& ch, const GHObject& start, const GHObject& end, int max,
                               std::vector<GHObject>* out, GHObject* next) {
  Reply reply;
  NeutralObject first(start);
  NeutralObject last(end);
  jlong count = call(bridge().list, java(ch), first.address(), last.address(), static_cast<jint>(max), reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  out->reserve(out->size() + static_cast<size_t>(count));
  for (jlong i = 0; i < count; ++i) out->push_back(read_object(in));
  GHObject following = read_object(in);
  if (next) *next = std::move(following);
  return 0;
}

// --- transactions ---------------------------------------------------------------------------------------------------

int JavaStore::queue_transactions(CollectionHandle& ch, std::vector<CephTransaction>& transactions, const void*,
                                  void*) {
  thread_local Descriptors descriptors;
  descriptors.clear();
  auto* collection = static_cast<JavaCollection*>(ch.get());
  uint64_t start = now_ns();
  auto* batch = new Batch{ch, collection->order, {}, commit_ns_, commits_, start};
  std::list<Context*> applied_sync;
  for (CephTransaction& t : transactions) {
    descriptors.add(t);
    // Visible at once, so both lists may be run at commit, in this order.
    batch->contexts.splice(batch->contexts.end(), t.on_applied);
    batch->contexts.splice(batch->contexts.end(), t.on_commit);
    applied_sync.splice(applied_sync.end(), t.on_applied_sync);
  }
  const auto& ready = descriptors.finish();
  if (recording()) {
    for (const TransactionDescriptor& d : ready) record_transaction(d);
  }

  collection->order.submitted();
  Reply reply;
  jlong r = call(bridge().queueTransactions, store_, collection->object(), address_of(ready.data()),
                 static_cast<jint>(ready.size()), address_of(batch), reply.address());
  if (r < 0) stop_on_failed_transaction(r, reply);
  apply_ns_.fetch_add(now_ns() - start, std::memory_order_relaxed);
  applies_.fetch_add(1, std::memory_order_relaxed);
  if (r > 0) forget_removed(reply, r);
  for (Context* context : applied_sync) context->complete(0);
  return 0;
}

void JavaStore::stop_on_failed_transaction(jlong r, const Reply& reply) {
  std::string text = "ustore: a transaction cannot be applied: ";
  if (reply.size()) {
    text.append(reinterpret_cast<const char*>(reply.data()), reply.size());
  } else {
    text += strerror(static_cast<int>(-r));
  }
  text += ". Nothing of it is kept; the OSD stops.";
  if (r == -ENOSPC) {
    text += " Next: enlarge the device or take data off this OSD (ceph osd df; ceph osd reweight), then start it again.";
  }
  stop_process(text, "queue_transactions");
}

// --- reads ----------------------------------------------------------------------------------------------------------

int JavaStore::stat(CollectionHandle& ch, const GHObject& object, struct ::stat* out, bool) {
  jlong size = call(bridge().stat, java(ch), NeutralObject(object).address());
  if (size < 0) return static_cast<int>(size);
  *out = {};
  out->st_size = size;
  out->st_blksize = kBlockBytes;
  out->st_blocks = (size + static_cast<jlong>(kBlockBytes) - 1) / static_cast<jlong>(kBlockBytes);
  out->st_nlink = 1;
  return 0;
}

int JavaStore::read(CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length, bufferlist& out,
                    uint32_t) {
  out.clear();
  Reply reply(Reply::Kind::kPages);
  jlong r = call(bridge().read, java(ch), NeutralObject(object).address(), static_cast<jlong>(offset),
                 static_cast<jlong>(length), reply.address());
  if (r > 0) out.push_back(std::move(reply.pages()));
  return static_cast<int>(r);
}

int JavaStore::readv(CollectionHandle& ch, const GHObject& object, IntervalSet& ranges, bufferlist& out, uint32_t) {
  out.clear();
  std::vector<Piece> extents;
  extents.reserve(ranges.intervals.size());
  for (const auto& [offset, length] : ranges.intervals) extents.push_back({offset, length});
  Reply reply(Reply::Kind::kPages);
  jlong r = call(bridge().readv, java(ch), NeutralObject(object).address(), address_of(extents.data()),
                 static_cast<jint>(extents.size()), reply.address());
  if (r > 0) out.push_back(std::move(reply.pages()));
  return static_cast<int>(r);
}

int JavaStore::fiemap(CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length,
                      std::map<uint64_t, uint64_t>& out) {
  Reply reply;
  jlong count = call(bridge().fiemap, java(ch), NeutralObject(object).address(), static_cast<jlong>(offset),
                     static_cast<jlong>(length), reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  out.clear();
  for (jlong i = 0; i < count; ++i) {
    auto start = in.number<uint64_t>();
    out[start] = in.number<uint64_t>();
  }
  return 0;
}

int JavaStore::fiemap(CollectionHandle& ch, const GHObject& object, uint64_t offset, size_t length, bufferlist& out) {
  std::map<uint64_t, uint64_t> extents;
  if (int r = fiemap(ch, object, offset, length, extents); r < 0) return r;
  auto count = static_cast<uint32_t>(extents.size());
  out.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (const auto& extent : extents) {
    out.append(reinterpret_cast<const char*>(&extent.first), sizeof extent.first);
    out.append(reinterpret_cast<const char*>(&extent.second), sizeof extent.second);
  }
  return 0;
}

int JavaStore::dump_onode(CollectionHandle& ch, const GHObject& object, const std::string& section, Formatter* f) {
  jlong size = call(bridge().stat, java(ch), NeutralObject(object).address());
  if (size < 0) return static_cast<int>(size);
  std::map<uint64_t, uint64_t> extents;
  if (int r = fiemap(ch, object, 0, static_cast<size_t>(size), extents); r < 0) return r;
  f->open_object_section(section);
  f->dump_unsigned("size", static_cast<uint64_t>(size));
  f->open_array_section("extents");
  for (const auto& [offset, length] : extents) {
    f->open_object_section("extent");
    f->dump_unsigned("offset", offset);
    f->dump_unsigned("length", length);
    f->close_section();
  }
  f->close_section();
  f->close_section();
  return 0;
}

int JavaStore::getattr(CollectionHandle& ch, const GHObject& object, const char* name, bufferptr& value) {
  Reply reply;
  jlong length = call(bridge().attribute, java(ch), NeutralObject(object).address(), address_of(name),
                      static_cast<jint>(strlen(name)), reply.address());
  if (length < 0) return static_cast<int>(length);
  value = bufferptr(reinterpret_cast<const char*>(reply.data()), static_cast<unsigned>(length));
  return 0;
}

int JavaStore::getattrs(CollectionHandle& ch, const GHObject& object, std::map<std::string, bufferptr>& out) {
  Reply reply;
  jlong count = call(bridge().attributes, java(ch), NeutralObject(object).address(), reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  out.clear();
  for (jlong i = 0; i < count; ++i) {
    std::string name(in.string());
    std::string_view value = in.string();
    out.emplace(std::move(name), bufferptr(value.data(), static_cast<unsigned>(value.size())));
  }
  return 0;
}

// --- omap -----------------------------------------------------------------------------------------------------------

void read_entries(ReplyReader& in, jlong count, std::map<std::string, bufferlist>& out) {
  for (jlong i = 0; i < count; ++i) {
    std::string key(in.string());
    bufferlist value;
    append(value, in.string());
    out.insert_or_assign(std::move(key), std::move(value));
  }
}

int JavaStore::omap_get(CollectionHandle& ch, const GHObject& object, bufferlist* header,
                        std::map<std::string, bufferlist>* out) {
  Reply reply;
  jlong count = call(bridge().omap, java(ch), NeutralObject(object).address(), reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  header->clear();
  append(*header, in.string());
  out->clear();
  read_entries(in, count, *out);
  return 0;
}

int JavaStore::omap_get_header(CollectionHandle& ch, const GHObject& object, bufferlist* header, bool) {
  Reply reply;
  jlong length = call(bridge().omapHeader, java(ch), NeutralObject(object).address(), reply.address());
  if (length < 0) return static_cast<int>(length);
  header->clear();
  append(*header, {reinterpret_cast<const char*>(reply.data()), static_cast<size_t>(length)});
  return 0;
}

int JavaStore::omap_get_keys(CollectionHandle& ch, const GHObject& object, std::set<std::string>* keys) {
  Reply reply;
  jlong count = call(bridge().omapKeys, java(ch), NeutralObject(object).address(), reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  for (jlong i = 0; i < count; ++i) keys->insert(keys->end(), std::string(in.string()));
  return 0;
}

int JavaStore::omap_get_values(CollectionHandle& ch, const GHObject& object, const std::set<std::string>& keys,
                               std::map<std::string, bufferlist>* out) {
  Reply reply;
  std::string wanted = encode_keys(keys);
  jlong count = call(bridge().omapValues, java(ch), NeutralObject(object).address(), address_of(wanted.data()),
                     static_cast<jint>(keys.size()), reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  read_entries(in, count, *out);
  return 0;
}

int JavaStore::omap_check_keys(CollectionHandle& ch, const GHObject& object, const std::set<std::string>& keys,
                               std::set<std::string>* out) {
  Reply reply;
  std::string wanted = encode_keys(keys);
  jlong count = call(bridge().omapExistingKeys, java(ch), NeutralObject(object).address(), address_of(wanted.data()),
                     static_cast<jint>(keys.size()), reply.address());
  if (count < 0) return static_cast<int>(count);
  ReplyReader in(reply);
  for (jlong i = 0; i < count; ++i) out->insert(std::string(in.string()));
  return 0;
}

std::shared_ptr<OmapIteratorImpl> JavaStore::get_omap_iterator(CollectionHandle& ch, const GHObject& object) {
  bool failed = false;
  jobject iterator = call_object(bridge().omapIterator, &failed, java(ch), NeutralObject(object).address());
  if (!iterator) return nullptr;
  return std::make_shared<JavaOmapIterator>(iterator);
}

}  // namespace
}  // namespace ustore

// What the preload stage calls for type "ustore".
extern "C" [[gnu::visibility("default")]] void* ustore_create_16(void* cct, const std::string& data, const char* home) {
  ustore::log_open(cct);
  return new ustore::JavaStore(cct, data, home);
}
