// What the kernel says about the disk under the store.
#pragma once

#include <string>

namespace ustore {

struct DiskFacts {
  std::string name;         // whole disk as under /sys/block, such as "vda"; empty if unknown
  bool rotational = false;  // as the kernel reports it
};

// The disk under the block device or file `path`, or under its folder if it does not exist yet.
DiskFacts disk_of(const std::string& path);

}  // namespace ustore
