// The preload stage: makes a stock ceph-osd or ceph-objectstore-tool take type "ustore".
//
// It has no undefined Ceph symbol, so that it is harmless in every other process LD_PRELOAD reaches. In a program that
// exports ObjectStore::create it replaces the first instructions of that function by a jump to hooked_create(), which
// serves type "ustore" from the second stage beside this file and hands every other type to the original.
//
// A program it does not know is left exactly as it is, after one message; the program itself then refuses the type.

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#ifndef USTORE_CEPH_VERSION
#define USTORE_CEPH_VERSION "16.2.15"
#endif

namespace {

struct Release {
  const char* version;
  const char* second_stage;
  const char* factory;
  uint8_t entry[6];  // whole instructions, independent of their position
};

constexpr Release kReleases[] = {
    // push rbp; mov rbp,rsp; push r15
    {USTORE_CEPH_VERSION, "libustore-ceph-16.so", "ustore_create_16", {0x55, 0x48, 0x89, 0xe5, 0x41, 0x57}},
};

constexpr const char* kCreate =
    "_ZN11ObjectStore6createEPN4ceph6common11CephContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESB_SB_j";
constexpr const char* kVersion = "_Z19ceph_version_to_strv";

using Create = void* (*)(void* cct, const std::string& type, const std::string& data, const std::string& journal,
                         unsigned flags);
using Factory = void* (*)(void* cct, const std::string& data, const char* home);

const Release* release;
Create original;

[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) {
  char line[2048];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line - 1, format, args);
  va_end(args);
  if (n < 0) return;
  if (n > static_cast<int>(sizeof line) - 2) n = sizeof line - 2;
  line[n] = '\n';
  // One write, so that the lines of a daemon's threads do not mix.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(n) + 1);
}

std::string own_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&own_folder), &info) || !info.dli_fname) return ".";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string program() {
  char path[512];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : "this program";
}

void* hooked_create(void* cct, const std::string& type, const std::string& data, const std::string& journal,
                    unsigned flags) {
  if (type != "ustore") return original(cct, type, data, journal, flags);

  std::string home = own_folder();
  std::string path = home + "/" + release->second_stage;
  void* stage = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!stage) {
    say("ustore: cannot load the store for Ceph %s: %s. Next: keep %s beside libustore-ceph.so.", release->version,
        dlerror(), release->second_stage);
    return nullptr;
  }
  auto factory = reinterpret_cast<Factory>(dlsym(stage, release->factory));
  if (!factory) {
    say("ustore: %s has no %s: it is of another build than libustore-ceph.so. Next: install both from one build.",
        path.c_str(), release->factory);
    return nullptr;
  }
  return factory(cct, data, home.c_str());
}

void put_jump(uint8_t* at, const void* target) {
  at[0] = 0xff;  // jmp qword ptr [rip+0]
  at[1] = 0x25;
  memset(at + 2, 0, 4);
  memcpy(at + 6, &target, sizeof target);
}

// A page within reach of a 32-bit jump from `entry`, or null.
uint8_t* page_near(const uint8_t* entry, size_t page) {
  constexpr uintptr_t kStep = 16u << 20;
  constexpr int kSteps = 100;  // 1.6 GiB, the reach is 2
  uintptr_t base = reinterpret_cast<uintptr_t>(entry) & ~(page - 1);
  for (int i = 1; i <= kSteps && base > kStep * static_cast<uintptr_t>(i); ++i) {
    void* want = reinterpret_cast<void*>(base - kStep * static_cast<uintptr_t>(i));
    void* got = mmap(want, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == want) return static_cast<uint8_t*>(got);
    if (got != MAP_FAILED) munmap(got, page);
  }
  return nullptr;
}

void say_not_executable(const char* what, int error) {
  say("ustore: cannot %s in %s: %s. If systemd started it, the unit's MemoryDenyWriteExecute=true forbids the hook and "
      "the JVM. Next: create /etc/systemd/system/ceph-osd@.service.d/ustore.conf with the lines \"[Service]\" and "
      "\"MemoryDenyWriteExecute=no\", then run: systemctl daemon-reload",
      what, program().c_str(), strerror(error));
}

void patch(uint8_t* entry) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  constexpr size_t kTaken = sizeof(Release::entry);

  uint8_t* stubs = page_near(entry, page);
  if (!stubs) {
    say("ustore: no free page within 1.6 GiB of the code of %s; it runs without UStore", program().c_str());
    return;
  }
  // The original: its first instructions, then on to the rest of it. The detour: to the hook.
  uint8_t* detour = stubs + 64;
  memcpy(stubs, entry, kTaken);
  put_jump(stubs + kTaken, entry + kTaken);
  put_jump(detour, reinterpret_cast<const void*>(&hooked_create));
  // Where writable memory may not become executable this fails, before anything of the program was touched.
  if (mprotect(stubs, page, PROT_READ | PROT_EXEC) != 0) {
    say_not_executable("make memory executable", errno);
    munmap(stubs, page);
    return;
  }

  uintptr_t first = reinterpret_cast<uintptr_t>(entry) & ~(page - 1);
  uintptr_t last = (reinterpret_cast<uintptr_t>(entry) + kTaken - 1) & ~(page - 1);
  void* code = reinterpret_cast<void*>(first);
  size_t length = last - first + page;
  // Never without PROT_EXEC in between: this very page may be running.
  if (mprotect(code, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    say_not_executable("change ObjectStore::create", errno);
    munmap(stubs, page);
    return;
  }
  original = reinterpret_cast<Create>(stubs);
  auto distance = static_cast<int32_t>(detour - (entry + 5));
  entry[0] = 0xe9;  // jmp rel32; nop
  memcpy(entry + 1, &distance, sizeof distance);
  entry[5] = 0x90;
  if (mprotect(code, length, PROT_READ | PROT_EXEC) != 0) {
    say("ustore: the code page of ObjectStore::create stays writable: %s", strerror(errno));
  }
}

[[gnu::constructor]] void install() {
  auto* entry = static_cast<uint8_t*>(dlsym(RTLD_DEFAULT, kCreate));
  if (!entry) return;

  auto version_of = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, kVersion));
  const char* version = version_of ? version_of() : "unknown";
  for (const Release& candidate : kReleases) {
    if (strcmp(candidate.version, version) == 0) release = &candidate;
  }
  if (!release) {
    say("ustore: %s is Ceph %s; this build of UStore knows Ceph %s. It runs without UStore and will refuse a store of "
        "type ustore. Next: install the ceph packages of that release, or a UStore built for yours.",
        program().c_str(), version, kReleases[0].version);
    return;
  }
  if (memcmp(entry, release->entry, sizeof release->entry) != 0) {
    say("ustore: %s says it is Ceph %s, but ObjectStore::create starts with %02x %02x %02x %02x %02x %02x instead of "
        "%02x %02x %02x %02x %02x %02x: another build than Debian's. It runs without UStore and will refuse a store of "
        "type ustore. Next: install Debian's ceph packages of that release.",
        program().c_str(), version, entry[0], entry[1], entry[2], entry[3], entry[4], entry[5], release->entry[0],
        release->entry[1], release->entry[2], release->entry[3], release->entry[4], release->entry[5]);
    return;
  }
  patch(entry);
}

}  // namespace
