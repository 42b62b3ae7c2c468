#include "device.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "conf.h"

namespace ustore {

DiskFacts disk_of(const std::string& path) {
  DiskFacts facts;
  struct stat st;
  if (stat(path.c_str(), &st) != 0) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos || stat(path.substr(0, slash + 1).c_str(), &st) != 0) return facts;
  }
  dev_t device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
  std::string link = "/sys/dev/block/" + std::to_string(major(device)) + ":" + std::to_string(minor(device));
  char resolved[PATH_MAX];
  if (!realpath(link.c_str(), resolved)) return facts;  // tmpfs, overlay: no disk behind it
  std::string folder = resolved;
  if (access((folder + "/partition").c_str(), F_OK) == 0) folder = folder.substr(0, folder.rfind('/'));
  facts.name = folder.substr(folder.rfind('/') + 1);
  std::string flag;
  facts.rotational = read_file(folder + "/queue/rotational", flag) == 0 && !flag.empty() && flag[0] == '1';
  return facts;
}

}  // namespace ustore
