// From "durable" in Java to the callbacks of the OSD.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "profile_16.h"

namespace ustore {

// Runs callbacks of collections that have no queue of the OSD, in order, on a thread of its own.
class Finisher {
 public:
  Finisher() = default;
  ~Finisher() { stop(); }

  void start();
  // Takes all of `contexts`.
  void queue(std::list<Context*>& contexts);
  // Returns once everything queued before has run, and ends the thread.
  void stop();

 private:
  void run();

  std::mutex lock_;
  std::condition_variable wake_;
  std::list<Context*> waiting_;
  bool running_ = false;
  std::thread thread_;
};

// Order of commits of one collection. Batches are submitted and completed in the same order; callbacks go to the OSD's
// queue if it has set one, else to the finisher. All methods may be called by any thread.
class CommitOrder {
 public:
  explicit CommitOrder(Finisher& finisher) : finisher_(finisher) {}

  void set_queue(ContextQueue* queue);
  void submitted();
  // One more batch is durable: its callbacks are queued, then those that waited for it.
  void completed(std::list<Context*>& contexts);
  // True if nothing is in flight; else `context` is queued after all batches submitted so far.
  bool flush_commit(Context* context);

 private:
  struct Waiter {
    uint64_t after;
    Context* context;
  };

  std::mutex lock_;
  ContextQueue* queue_ = nullptr;
  Finisher& finisher_;
  uint64_t submitted_ = 0;
  uint64_t completed_ = 0;
  std::list<Waiter> waiters_;
};

// The callbacks of one queue_transactions call, handed to Java as an address and given back when durable.
struct Batch {
  CollectionHandle collection;  // keeps `order` alive
  CommitOrder& order;
  std::list<Context*> contexts;
  std::atomic<uint64_t>& commit_ns;
  std::atomic<uint64_t>& commits;
  uint64_t submitted_ns;
};

// Takes the batch.
void complete_batch(Batch* batch);

uint64_t now_ns();

}  // namespace ustore
