#include "commit.h"

#include <pthread.h>
#include <time.h>

namespace ustore {

void Finisher::start() {
  std::lock_guard<std::mutex> guard(lock_);
  if (running_) return;
  running_ = true;
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "ustore_finish");
}

void Finisher::queue(std::list<Context*>& contexts) {
  std::lock_guard<std::mutex> guard(lock_);
  waiting_.splice(waiting_.end(), contexts);
  wake_.notify_one();
}

void Finisher::stop() {
  {
    std::lock_guard<std::mutex> guard(lock_);
    if (!running_) return;
    running_ = false;
    wake_.notify_one();
  }
  thread_.join();
}

void Finisher::run() {
  std::unique_lock<std::mutex> guard(lock_);
  while (running_ || !waiting_.empty()) {
    if (waiting_.empty()) {
      wake_.wait(guard);
      continue;
    }
    std::list<Context*> batch;
    batch.swap(waiting_);
    guard.unlock();
    for (Context* context : batch) context->complete(0);
    guard.lock();
  }
}

void CommitOrder::set_queue(ContextQueue* queue) {
  std::lock_guard<std::mutex> guard(lock_);
  queue_ = queue;
}

void CommitOrder::submitted() {
  std::lock_guard<std::mutex> guard(lock_);
  ++submitted_;
}

void CommitOrder::completed(std::list<Context*>& contexts) {
  // Held while queueing, so that two batches cannot change places between here and the queue.
  std::lock_guard<std::mutex> guard(lock_);
  ++completed_;
  while (!waiters_.empty() && waiters_.front().after <= completed_) {
    contexts.push_back(waiters_.front().context);
    waiters_.pop_front();
  }
  if (contexts.empty()) return;
  if (queue_) {
    queue_->queue(contexts);
  } else {
    finisher_.queue(contexts);
  }
}

bool CommitOrder::flush_commit(Context* context) {
  std::lock_guard<std::mutex> guard(lock_);
  if (submitted_ == completed_) return true;
  if (context) waiters_.push_back({submitted_, context});
  return false;
}

void complete_batch(Batch* batch) {
  batch->commit_ns.fetch_add(now_ns() - batch->submitted_ns, std::memory_order_relaxed);
  batch->commits.fetch_add(1, std::memory_order_relaxed);
  batch->order.completed(batch->contexts);
  delete batch;
}

uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace ustore
