// What the checks found, in the manner of the Test Anything Protocol: a line per check, "ok - NAME (N comparisons)" or
// "not ok - NAME: first difference"; at the end "1..CHECKS", without which something broke off.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

namespace ustore::abi {

class Report {
 public:
  // Starts the check all further comparisons belong to.
  void begin(std::string name) {
    end();
    name_ = std::move(name);
  }

  void that(bool holds, const std::string& otherwise) {
    ++comparisons_;
    if (!holds && difference_.empty()) difference_ = otherwise.empty() ? "failed" : otherwise;
  }

  template <typename A, typename B>
  void equal(const A& expected, const B& found, const std::string& what) {
    that(expected == found, what + ": expected " + text(expected) + ", found " + text(found));
  }

  // Whether everything held.
  bool finish() {
    end();
    printf("1..%zu\n", checks_);
    return failures_ == 0;
  }

 private:
  void end() {
    if (name_.empty()) return;
    ++checks_;
    if (comparisons_ == 0) difference_ = "nothing was compared";
    if (difference_.empty()) {
      printf("ok - %s (%zu comparisons)\n", name_.c_str(), comparisons_);
    } else {
      printf("not ok - %s: %s\n", name_.c_str(), difference_.c_str());
      ++failures_;
    }
    fflush(stdout);
    name_.clear();
    difference_.clear();
    comparisons_ = 0;
  }
  static std::string text(const std::string& value) { return '"' + value + '"'; }
  static std::string text(const char* value) { return text(std::string(value)); }
  template <typename T>
  static std::string text(T value) {
    return std::to_string(value);
  }

  std::string name_;
  std::string difference_;
  size_t comparisons_ = 0;
  size_t checks_ = 0;
  size_t failures_ = 0;
};

}  // namespace ustore::abi
