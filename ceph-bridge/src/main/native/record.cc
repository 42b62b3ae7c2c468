#include "record.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "log.h"
#include "neutral.h"

namespace ustore {
namespace {

constexpr uint64_t kLimit = 64u << 20;
constexpr uint32_t kMagic = 0x58545355;
constexpr size_t kCollectionEntry = 8 + kCollectionBytes;

struct Piece {
  uint64_t address;
  uint64_t bytes;
};

class Recorder {
 public:
  Recorder() {
    const char* file = getenv("USTORE_RECORD");
    if (!file || !*file) return;
    fd_ = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd_ < 0) {
      log_format(kLogError, "ustore: USTORE_RECORD=%s cannot be written: %s; nothing is recorded", file, strerror(errno));
      return;
    }
    off_t size = lseek(fd_, 0, SEEK_END);
    written_ = size > 0 ? static_cast<uint64_t>(size) : 0;
  }

  bool active() const { return fd_ >= 0; }

  void append(const std::string& record) {
    std::lock_guard<std::mutex> guard(lock_);
    if (fd_ < 0) return;
    if (written_ + record.size() > kLimit) {
      stop("the file has reached its limit of 64 MiB");
      return;
    }
    if (::write(fd_, record.data(), record.size()) != static_cast<ssize_t>(record.size())) {
      stop(strerror(errno));
      return;
    }
    written_ += record.size();
  }

 private:
  void stop(const char* why) {
    log_format(kLogWarning, "ustore: recording of transactions has stopped after %llu bytes: %s",
               static_cast<unsigned long long>(written_), why);
    close(fd_);
    fd_ = -1;
  }

  std::mutex lock_;
  std::atomic<int> fd_{-1};
  uint64_t written_ = 0;
};

Recorder& recorder() {
  static Recorder instance;
  return instance;
}

}  // namespace

bool recording() { return recorder().active(); }

void record_transaction(const TransactionDescriptor& t) {
  const auto* pieces = reinterpret_cast<const Piece*>(t.pieces);
  uint64_t data_bytes = 0;
  for (uint64_t i = 0; i < t.piece_count; ++i) data_bytes += pieces[i].bytes;

  std::string record;
  auto number = [&record](uint64_t value) {
    auto narrow = static_cast<uint32_t>(value);
    record.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  };
  auto bytes = [&record](uint64_t address, uint64_t length) {
    if (length) record.append(reinterpret_cast<const char*>(address), length);
  };
  number(kMagic);
  number(t.ops_bytes);
  number(data_bytes);
  number(t.collection_count);
  number(t.object_count);
  number(t.objects_bytes);
  bytes(t.ops, t.ops_bytes);
  for (uint64_t i = 0; i < t.piece_count; ++i) bytes(pieces[i].address, pieces[i].bytes);
  bytes(t.collections, t.collection_count * kCollectionEntry);
  bytes(t.objects, t.objects_bytes);
  recorder().append(record);
}

}  // namespace ustore
