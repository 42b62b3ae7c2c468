// Lines in the log of the process the shim runs in: the OSD's log file, or standard error of a tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ustore {

// Priorities as Ceph counts them: -1 also goes to standard error while the process has one.
constexpr int kLogError = -1;
constexpr int kLogWarning = 0;
constexpr int kLogInfo = 1;

// Finds the log in `cct`, once. Lines written before, or where the context is not laid out as known, go to standard
// error.
void log_open(void* cct);

void log_line(int priority, std::string_view text);

[[gnu::format(printf, 2, 3)]] void log_format(int priority, const char* format, ...);

// The highest priority of the OSD subsystem that the process gathers; 1 if unknown.
int log_level();

// Writes `message` into the log and stops the process the way Ceph's own assertions do: with a backtrace, the recent log
// and a crash report.
[[noreturn]] void stop_process(const std::string& message, const char* function);

}  // namespace ustore
