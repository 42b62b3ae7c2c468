// Runs checks inside an unmodified ceph-osd or ceph-objectstore-tool, after its constructors and instead of its main.
// Preloaded into `ceph-osd`, whose arguments then are:
//
//   check SEED FOLDER            every check of the layout, one line each; exit status 0 if all hold
//   objects SEED COUNT FILE      names of objects in Ceph's order, for the Java tests
//   collections SEED COUNT FILE  names of collections with Ceph's text of them

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

#include "checks.h"

namespace ustore::abi {
namespace {

int check(uint64_t seed, const char* folder) {
  Random random(seed);
  Report report;
  check_names(report, random);
  check_transactions(report, random);
  check_objects(report, random);
  check_store(report, random, folder);
  return report.finish() ? 0 : 1;
}

int run(int argc, char** argv) {
  std::string what = argc > 1 ? argv[1] : "";
  uint64_t seed = argc > 2 ? strtoull(argv[2], nullptr, 10) : 0;
  printf("# seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  if (what == "check" && argc == 4) return check(seed, argv[3]);
  if (what == "objects" && argc == 5) return emit_objects(random, strtoull(argv[3], nullptr, 10), argv[4]) ? 0 : 1;
  if (what == "collections" && argc == 5) {
    return emit_collections(random, strtoull(argv[3], nullptr, 10), argv[4]) ? 0 : 1;
  }
  fprintf(stderr, "usage: check SEED FOLDER | objects SEED COUNT FILE | collections SEED COUNT FILE\n");
  return 2;
}

int main_instead(int argc, char** argv, char**) {
  int status;
  try {
    status = run(argc, argv);
  } catch (const std::exception& e) {
    printf("not ok - unexpected exception: %s\n", e.what());
    status = 1;
  }
  fflush(stdout);
  // The program's own exit handlers expect what its main would have set up.
  _exit(status);
}

}  // namespace
}  // namespace ustore::abi

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

extern "C" [[gnu::visibility("default")]] int __libc_start_main(
    Main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(), void* stack_end);

int __libc_start_main(
    Main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(), void* stack_end) {
  auto start = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(ustore::abi::main_instead, argc, argv, init, fini, loader_fini, stack_end);
}
