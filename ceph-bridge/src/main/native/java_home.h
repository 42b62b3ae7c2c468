// Which Java to run in this process.
#pragma once

#include <string>

#include "conf.h"

namespace ustore {

constexpr const char* kInstallJava =
    "Next: install a Java 25 JDK or JRE (a folder under /usr/lib/jvm, or java_home = FOLDER in ustore.conf).";

// The JVM library to use: of `java_home` if the settings name one, else of JAVA_HOME if that is Java 25, else of what
// `jvm_folder` holds. Empty with all that was found in `error`.
std::string find_jvm(const JvmConf& conf, const char* java_home_env, const std::string& jvm_folder, std::string& error);

}  // namespace ustore
