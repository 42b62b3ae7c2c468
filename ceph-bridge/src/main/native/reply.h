// What Java fills with a result of variable size, and the functions Java calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile_16.h"

namespace ustore {

// Where one call's result goes: a page-aligned buffer that is handed to the caller as it is (data reads), or memory of
// the thread that is parsed before the next call. Lives on the stack of the calling thread.
class Reply {
 public:
  enum class Kind { kScratch, kPages };

  explicit Reply(Kind kind = Kind::kScratch) : kind_(kind) {}

  // Null if there is no memory.
  void* allocate(size_t bytes) noexcept;

  int64_t address() { return reinterpret_cast<int64_t>(this); }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  bufferptr& pages() { return pages_; }

 private:
  Kind kind_;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  bufferptr pages_;
};

// Reads a scratch reply. A reply that is too short is a fault of the bridge and stops the process.
class ReplyReader {
 public:
  explicit ReplyReader(const Reply& reply) : at_(reply.data()), left_(reply.size()) {}

  template <typename T>
  T number() {
    T value;
    memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string_view bytes(size_t length) { return {reinterpret_cast<const char*>(take(length)), length}; }
  // u32 length, then as many bytes
  std::string_view string() { return bytes(number<uint32_t>()); }

 private:
  const uint8_t* take(size_t length);

  const uint8_t* at_;
  size_t left_;
};

// The addresses handed to Bridge.init, in this order.
struct BridgeFunctions {
  void* (*reply_alloc)(Reply* reply, int64_t bytes);  // null: out of memory
  void (*commit)(void* batch);                         // a batch is durable; in commit order per collection
  void (*log)(int32_t priority, const char* text, int64_t bytes);
};
extern const BridgeFunctions kBridgeFunctions;

}  // namespace ustore
