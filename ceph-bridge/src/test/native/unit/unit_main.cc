// Checks of the shim's parts that need neither Ceph nor a JVM. Prints "ok NAME" or "not ok NAME: REASON" per check, then
// their number.

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "commit.h"
#include "conf.h"
#include "java_home.h"

using namespace ustore;

namespace {

int checks;
int failures;
const char* current;
bool current_ok;

#define EXPECT(condition)                                                                  \
  do {                                                                                     \
    if (!(condition) && current_ok) {                                                      \
      current_ok = false;                                                                  \
      printf("not ok %s: line %d: %s\n", current, __LINE__, #condition);                   \
    }                                                                                      \
  } while (false)

void check(const char* name, const std::function<void()>& body) {
  current = name;
  current_ok = true;
  ++checks;
  body();
  if (current_ok) {
    printf("ok %s\n", name);
  } else {
    ++failures;
  }
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// What ran, in order.
struct Journal {
  std::mutex lock;
  std::condition_variable wake;
  std::vector<int> ran;

  void add(int id) {
    std::lock_guard<std::mutex> guard(lock);
    ran.push_back(id);
    wake.notify_all();
  }
  void await(size_t count) {
    std::unique_lock<std::mutex> guard(lock);
    wake.wait(guard, [&] { return ran.size() >= count; });
  }
};

struct Probe final : Context {
  Journal& journal;
  int id;

  Probe(Journal& journal, int id) : journal(journal), id(id) {}
  void finish(int) override {}
  bool sync_finish(int) override { return false; }
  void complete(int) override {
    journal.add(id);
    delete this;
  }
  bool sync_complete(int) override { return false; }
};

// The OSD's side of a commit queue.
struct OsdShard {
  std::mutex lock;
  std::condition_variable wake;
  ContextQueue queue{{}, {}, &lock, &wake, {true}};

  std::vector<Context*> take() {
    std::lock_guard<std::mutex> guard(queue.lock);
    std::vector<Context*> all(queue.waiting.begin(), queue.waiting.end());
    queue.waiting.clear();
    queue.empty = true;
    return all;
  }
};

void queue_tests() {
  check("queue appends in order, sets the flag and takes the list", [] {
    Journal journal;
    OsdShard shard;
    std::list<Context*> first = {new Probe(journal, 1), new Probe(journal, 2)};
    std::list<Context*> second = {new Probe(journal, 3)};
    shard.queue.queue(first);
    EXPECT(first.empty());
    EXPECT(!shard.queue.empty);
    shard.queue.queue(second);
    for (Context* context : shard.take()) context->complete(0);
    EXPECT((journal.ran == std::vector<int>{1, 2, 3}));
  });

  check("queue wakes the OSD thread that waits for work", [] {
    Journal journal;
    OsdShard shard;
    std::mutex started_lock;
    std::condition_variable started;
    bool waits = false;
    bool woken = false;
    std::thread osd([&] {
      std::unique_lock<std::mutex> guard(shard.lock);
      {
        std::lock_guard<std::mutex> start(started_lock);
        waits = true;
        started.notify_one();
      }
      woken = shard.wake.wait_for(guard, std::chrono::seconds(10)) == std::cv_status::no_timeout;
    });
    {
      std::unique_lock<std::mutex> start(started_lock);
      started.wait(start, [&] { return waits; });
    }
    // The OSD thread holds its lock until it waits, and queue() needs that lock to wake it.
    std::list<Context*> contexts = {new Probe(journal, 1)};
    shard.queue.queue(contexts);
    osd.join();
    EXPECT(woken);
    for (Context* context : shard.take()) context->complete(0);
    EXPECT(journal.ran.size() == 1);
  });

  check("commits of a collection without a queue run on the finisher, in order", [] {
    Journal journal;
    Finisher finisher;
    finisher.start();
    CommitOrder order(finisher);
    for (int i = 0; i < 100; ++i) {
      order.submitted();
      std::list<Context*> contexts = {new Probe(journal, i)};
      order.completed(contexts);
    }
    finisher.stop();
    EXPECT(journal.ran.size() == 100);
    for (int i = 0; i < 100; ++i) EXPECT(journal.ran[static_cast<size_t>(i)] == i);
  });

  check("stopping the finisher runs everything queued before", [] {
    Journal journal;
    Finisher finisher;
    std::list<Context*> contexts = {new Probe(journal, 1), new Probe(journal, 2)};
    finisher.queue(contexts);
    finisher.start();
    finisher.stop();
    EXPECT(journal.ran.size() == 2);
  });

  check("a queue set by the OSD takes over from the finisher", [] {
    Journal journal;
    Finisher finisher;
    OsdShard shard;
    CommitOrder order(finisher);
    order.set_queue(&shard.queue);
    order.submitted();
    std::list<Context*> contexts = {new Probe(journal, 7)};
    order.completed(contexts);
    std::vector<Context*> taken = shard.take();
    EXPECT(taken.size() == 1);
    for (Context* context : taken) context->complete(0);
    EXPECT((journal.ran == std::vector<int>{7}));
  });

  check("flush_commit: nothing in flight answers true and leaves the context alone", [] {
    Journal journal;
    Finisher finisher;
    CommitOrder order(finisher);
    EXPECT(order.flush_commit(nullptr));
    Probe untouched(journal, 1);
    EXPECT(order.flush_commit(&untouched));
    EXPECT(journal.ran.empty());
  });

  check("flush_commit: runs after the batches before it and before those after it", [] {
    Journal journal;
    OsdShard shard;
    Finisher finisher;
    CommitOrder order(finisher);
    order.set_queue(&shard.queue);
    order.submitted();
    order.submitted();
    EXPECT(!order.flush_commit(new Probe(journal, 100)));
    order.submitted();
    EXPECT(!order.flush_commit(new Probe(journal, 200)));
    for (int i = 1; i <= 3; ++i) {
      std::list<Context*> contexts = {new Probe(journal, i)};
      order.completed(contexts);
    }
    for (Context* context : shard.take()) context->complete(0);
    EXPECT((journal.ran == std::vector<int>{1, 2, 100, 3, 200}));
    EXPECT(order.flush_commit(nullptr));
  });
}

bool conf(const std::string& text, JvmConf& out, std::string& error) {
  out = {};
  error.clear();
  return parse_conf("ustore.conf", text, out, error);
}

void conf_tests() {
  check("sizes", [] {
    uint64_t n = 0;
    EXPECT(parse_size("512M", n) && n == 512u << 20);
    EXPECT(parse_size("2g", n) && n == uint64_t{2} << 30);
    EXPECT(parse_size("4096", n) && n == 4096);
    EXPECT(parse_size("1T", n) && n == uint64_t{1} << 40);
    for (const char* bad : {"", "G", "1X", "1GB", "-1", " 1", "99999999999999999999", "8388608T", "1.5G"}) {
      EXPECT(!parse_size(bad, n));
    }
  });

  check("settings of the JVM, among others, comments and odd spaces", [] {
    JvmConf c;
    std::string error;
    EXPECT(conf("# heap_max = 1\n\n device = /dev/x \r\n  heap_max=2G\ndirect_max =\t64M\nlog_size = 1G\n"
                "jvm_options = -Xlog:gc  -Da=b\njava_home = /opt/java\n",
                c, error));
    EXPECT(c.device == "/dev/x" && c.heap_max == uint64_t{2} << 30 && c.direct_max == 64u << 20);
    EXPECT(c.java_home == "/opt/java");
    EXPECT((c.jvm_options == std::vector<std::string>{"-Xlog:gc", "-Da=b"}));
  });

  check("defaults", [] {
    JvmConf c;
    std::string error;
    EXPECT(conf("", c, error));
    EXPECT(c.device == "block" && c.heap_max == 1u << 30 && c.direct_max == 1u << 30 && c.jvm_options.empty());
  });

  check("a bad size names file, line, value and limit", [] {
    JvmConf c;
    std::string error;
    EXPECT(!conf("\nheap_max = lots\n", c, error));
    for (const char* part : {"ustore.conf line 2", "heap_max = lots", "at least 64M", "Next:"}) {
      EXPECT(contains(error, part));
    }
    EXPECT(!conf("heap_max = 1M\n", c, error));
    EXPECT(!conf("direct_max = 1M\n", c, error) && contains(error, "at least 64M"));
  });

  check("an unreadable file is an error, a missing one is not", [] {
    char folder[] = "/tmp/ustore-unit-XXXXXX";
    EXPECT(mkdtemp(folder) != nullptr);
    JvmConf c;
    std::string error;
    EXPECT(load_conf(folder, c, error));
    std::string file = std::string(folder) + "/ustore.conf";
    mkdir(file.c_str(), 0700);  // reading a folder fails, for root too
    EXPECT(!load_conf(folder, c, error));
    EXPECT(contains(error, file.c_str()) && contains(error, "Next:"));
    rmdir(file.c_str());
    rmdir(folder);
  });
}

// A folder that looks like a Java of that version.
void fake_java(const std::string& home, const std::string& version) {
  for (const char* part : {"", "/lib", "/lib/server"}) mkdir((home + part).c_str(), 0700);
  std::ofstream(home + "/release") << "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" << version << "\"\n";
  std::ofstream(home + "/lib/server/libjvm.so") << "x";
}

void java_tests() {
  char folder[] = "/tmp/ustore-unit-XXXXXX";
  if (!mkdtemp(folder)) abort();
  const std::string root = folder;
  const std::string java25 = root + "/temurin-25";
  const std::string java17 = root + "/java-17";
  mkdir((root + "/none").c_str(), 0700);
  std::string error;

  check("no Java at all", [&] {
    EXPECT(find_jvm({}, nullptr, root + "/none", error).empty());
    EXPECT(contains(error, "needs Java 25") && contains(error, "no Java in") && contains(error, "Next: install"));
  });
  fake_java(java17, "17.0.15");
  check("only an older Java: names it", [&] {
    EXPECT(find_jvm({}, java17.c_str(), root, error).empty());
    EXPECT(contains(error, "Java 17.0.15") && contains(error, "JAVA_HOME=") && contains(error, "Next: install"));
  });
  fake_java(java25, "25.0.3");
  check("an older JAVA_HOME gives way to an installed Java 25", [&] {
    EXPECT(find_jvm({}, java17.c_str(), root, error) == java25 + "/lib/server/libjvm.so");
  });
  check("java_home of the settings is binding", [&] {
    JvmConf c;
    c.java_home = java17;
    EXPECT(find_jvm(c, java25.c_str(), root, error).empty());
    EXPECT(contains(error, "java_home in ustore.conf") && contains(error, "Java 17.0.15"));
    c.java_home = java25;
    EXPECT(find_jvm(c, nullptr, root + "/none", error) == java25 + "/lib/server/libjvm.so");
  });
  check("a Java 25 without its library is described as such", [&] {
    JvmConf c;
    c.java_home = java25;
    unlink((java25 + "/lib/server/libjvm.so").c_str());
    EXPECT(find_jvm(c, nullptr, root, error).empty());
    EXPECT(contains(error, "no readable lib/server/libjvm.so"));
  });
  if (system(("rm -rf " + root).c_str()) != 0) abort();
}

}  // namespace

int main() {
  queue_tests();
  conf_tests();
  java_tests();
  printf("1..%d\n", checks);
  return failures ? 1 : 0;
}
