#include "conf.h"

#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <sstream>

namespace ustore {
namespace {

constexpr uint64_t kHeapMin = 64u << 20;
constexpr uint64_t kDirectMin = 64u << 20;

std::string trim(const std::string& text) {
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool size_value(const std::string& where, const std::string& key, const std::string& value, uint64_t least,
                uint64_t& out, std::string& error) {
  if (parse_size(value, out) && out >= least) return true;
  error = where + ": " + key + " = " + value + ": needs a size of at least " + std::to_string(least >> 20) +
          "M, such as 512M or 2G. Next: correct the line and start again.";
  return false;
}

}  // namespace

bool parse_size(const std::string& text, uint64_t& out) {
  size_t i = 0;
  uint64_t value = 0;
  while (i < text.size() && isdigit(static_cast<unsigned char>(text[i]))) {
    if (value > (uint64_t{1} << 58)) return false;
    value = value * 10 + static_cast<uint64_t>(text[i++] - '0');
  }
  if (i == 0) return false;
  unsigned shift = 0;
  if (i < text.size()) {
    const char* units = "KMGT";
    const char* unit = strchr(units, toupper(static_cast<unsigned char>(text[i])));
    if (!unit || ++i != text.size()) return false;
    shift = 10 * static_cast<unsigned>(unit - units + 1);
  }
  if (value > (uint64_t{1} << 62) >> shift) return false;
  out = value << shift;
  return true;
}

bool parse_conf(const std::string& file, const std::string& text, JvmConf& out, std::string& error) {
  std::istringstream in(text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line = trim(line);
    size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
    std::string key = trim(line.substr(0, equals));
    std::string value = trim(line.substr(equals + 1));
    std::string where = file + " line " + std::to_string(number);
    if (key == "device") {
      out.device = value;
    } else if (key == "java_home") {
      out.java_home = value;
    } else if (key == "heap_max") {
      if (!size_value(where, key, value, kHeapMin, out.heap_max, error)) return false;
    } else if (key == "direct_max") {
      if (!size_value(where, key, value, kDirectMin, out.direct_max, error)) return false;
    } else if (key == "jvm_options") {
      out.jvm_options.clear();
      std::istringstream words(value);
      for (std::string word; words >> word;) out.jvm_options.push_back(word);
    }
  }
  return true;
}

bool load_conf(const std::string& data, JvmConf& out, std::string& error) {
  std::string file = data + "/ustore.conf";
  std::string text;
  int r = read_file(file, text);
  if (r == -ENOENT) return true;
  if (r < 0) {
    error = "cannot read " + file + ": " + strerror(-r) + ". Next: make it a file of at most 1 MiB that the OSD's user can read.";
    return false;
  }
  return parse_conf(file, text, out, error);
}

int read_file(const std::string& path, std::string& out) {
  constexpr size_t kLimit = 1u << 20;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  out.clear();
  char buffer[4096];
  int result = 0;
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR) continue;
      result = -errno;
      break;
    }
    out.append(buffer, static_cast<size_t>(n));
    if (out.size() > kLimit) {
      result = -EFBIG;
      break;
    }
  }
  close(fd);
  return result;
}

}  // namespace ustore
