// The part of ustore.conf that is needed before there is a JVM. The whole file is validated by StoreConfig in Java.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ustore {

struct JvmConf {
  std::string device = "block";
  std::string java_home;
  uint64_t heap_max = 1u << 30;    // bytes
  uint64_t direct_max = 1u << 30;  // bytes
  std::vector<std::string> jvm_options;
};

// Reads `text`, the content of `file`. False with a message in `error` if one of the values cannot be used.
bool parse_conf(const std::string& file, const std::string& text, JvmConf& out, std::string& error);

// As parse_conf, from <data>/ustore.conf; a missing file means defaults, which Java then judges.
bool load_conf(const std::string& data, JvmConf& out, std::string& error);

// Digits with an optional K, M, G or T (powers of 1024); false if malformed or beyond 2^62.
bool parse_size(const std::string& text, uint64_t& out);

// First whole content of a file of at most 1 MiB; 0 or -errno.
int read_file(const std::string& path, std::string& out);

}  // namespace ustore
