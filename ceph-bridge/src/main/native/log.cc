#include "log.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>

#include "profile_16.h"

namespace ustore {
namespace {

void* ceph_log;
const uint8_t* levels;

struct Line final : LogEntry {
  std::string_view line;

  std::string_view text() const override { return line; }
  size_t size() const override { return line.size(); }
};

}  // namespace

void log_open(void* cct) {
  if (ceph_log || !cct) return;
  auto* base = static_cast<char*>(cct);
  void* log = *reinterpret_cast<void**>(base + kCctLogOffset);
  // The object's first word leads to its class: proof that the offset is right in this binary.
  const void* expected = ceph_log_vtable + 2 * sizeof(void*);
  if (!log || *static_cast<const void**>(log) != expected) {
    log_line(kLogWarning, "ustore: the Ceph context has no log where this release keeps it; lines go to standard error");
    return;
  }
  levels = reinterpret_cast<const uint8_t*>(base + kCctLevelsOffset);
  ceph_log = log;
}

void log_line(int priority, std::string_view text) {
  if (!ceph_log) {
    if (priority > kLogInfo) return;
    std::string line(text);
    line += '\n';
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    return;
  }
  if (priority > log_level()) return;
  Line entry;
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  entry.stamp_ns = static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
  entry.stamp_coarse = true;  // as the clock it was read from
  entry.thread = pthread_self();
  entry.priority = static_cast<int16_t>(priority);
  entry.subsystem = kLogSubsystemOsd;
  entry.line = text;
  ceph_log_submit(ceph_log, std::move(entry));
  // The process may be about to exit, which would drop what is still queued.
  if (priority <= kLogError) ceph_log_flush(ceph_log);
}

void log_format(int priority, const char* format, ...) {
  char line[4096];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n < 0) return;
  size_t length = static_cast<size_t>(n) < sizeof line ? static_cast<size_t>(n) : sizeof line - 1;
  log_line(priority, {line, length});
}

int log_level() { return levels ? levels[kLogSubsystemOsd] : kLogInfo; }

void stop_process(const std::string& message, const char* function) {
  log_line(kLogError, message);
  ceph_abort(__FILE__, __LINE__, function, message);
}

}  // namespace ustore
