#include "java_home.h"

#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace ustore {
namespace {

constexpr int kJavaMajor = 25;

// Major version of the Java in `home`, from its "release" file; 0 if there is none.
int java_major(const std::string& home, std::string& version) {
  std::string text;
  if (read_file(home + "/release", text) < 0) return 0;
  constexpr const char* kKey = "JAVA_VERSION=\"";
  size_t at = text.find(kKey);
  if (at == std::string::npos) return 0;
  at += strlen(kKey);
  version = text.substr(at, text.find('"', at) - at);
  return atoi(version.c_str());
}

std::string library_of(const std::string& home) { return home + "/lib/server/libjvm.so"; }

bool usable(const std::string& home) {
  std::string version;
  return java_major(home, version) == kJavaMajor && access(library_of(home).c_str(), R_OK) == 0;
}

std::string describe(const std::string& home) {
  std::string version;
  int major = java_major(home, version);
  if (major == 0) return home + " (no Java there)";
  if (major != kJavaMajor) return home + " (Java " + version + ")";
  return home + " (Java " + version + ", but no readable lib/server/libjvm.so)";
}

}  // namespace

std::string find_jvm(const JvmConf& conf, const char* java_home_env, const std::string& jvm_folder, std::string& error) {
  if (!conf.java_home.empty()) {
    if (usable(conf.java_home)) return library_of(conf.java_home);
    error = "ustore: needs Java 25; java_home in ustore.conf names " + describe(conf.java_home) + ". " + kInstallJava;
    return "";
  }
  std::string found;
  if (java_home_env && *java_home_env) {
    if (usable(java_home_env)) return library_of(java_home_env);
    found += " JAVA_HOME=" + describe(java_home_env) + ";";
  }
  glob_t paths;
  std::string chosen;
  if (glob((jvm_folder + "/*").c_str(), GLOB_NOSORT, nullptr, &paths) == 0) {
    for (size_t i = 0; i < paths.gl_pathc; ++i) {
      std::string home = paths.gl_pathv[i];
      std::string version;
      if (usable(home)) {
        chosen = home;
        break;
      }
      if (java_major(home, version) != 0) found += " " + describe(home) + ";";
    }
    globfree(&paths);
  }
  if (!chosen.empty()) return library_of(chosen);
  error = "ustore: needs Java 25; found" + (found.empty() ? " no Java in " + jvm_folder + ";" : found) + " " + kInstallJava;
  error[error.rfind(';')] = '.';
  return "";
}

}  // namespace ustore
