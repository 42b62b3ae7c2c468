#include "reply.h"

#include <cstdlib>

#include "commit.h"
#include "log.h"

namespace ustore {
namespace {

constexpr size_t kKeptScratch = 1u << 20;
constexpr size_t kReplyLimit = size_t{1} << 31;

// Memory of one thread, reused from call to call unless it grew large.
struct Scratch {
  uint8_t* data = nullptr;
  size_t capacity = 0;

  ~Scratch() { free(data); }
  uint8_t* reserve(size_t bytes) {
    if (bytes <= capacity && (capacity <= kKeptScratch || bytes > kKeptScratch)) return data;
    size_t want = bytes < 4096 ? 4096 : bytes;
    free(data);
    data = static_cast<uint8_t*>(malloc(want));
    capacity = data ? want : 0;
    return data;
  }
};

thread_local Scratch scratch;

void* reply_alloc(Reply* reply, int64_t bytes) {
  if (bytes < 0 || static_cast<uint64_t>(bytes) > kReplyLimit) return nullptr;
  return reply->allocate(static_cast<size_t>(bytes));
}

void commit(void* batch) { complete_batch(static_cast<Batch*>(batch)); }

void log(int32_t priority, const char* text, int64_t bytes) {
  log_line(priority, {text, static_cast<size_t>(bytes)});
}

}  // namespace

const BridgeFunctions kBridgeFunctions = {reply_alloc, commit, log};

void* Reply::allocate(size_t bytes) noexcept {
  if (kind_ == Kind::kScratch) {
    data_ = scratch.reserve(bytes);
  } else {
    try {
      pages_ = ceph::buffer::create_small_page_aligned(static_cast<unsigned>(bytes));
      data_ = reinterpret_cast<uint8_t*>(pages_.c_str());
    } catch (...) {
      data_ = nullptr;
    }
  }
  size_ = data_ ? bytes : 0;
  return data_;
}

const uint8_t* ReplyReader::take(size_t length) {
  if (length > left_) {
    stop_process("ustore: a reply of the Java side is " + std::to_string(length - left_) + " bytes short", __func__);
  }
  const uint8_t* at = at_;
  at_ += length;
  left_ -= length;
  return at;
}

}  // namespace ustore
