#include "jvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "java_home.h"
#include "log.h"
#include "reply.h"

#ifndef USTORE_BUILD_ID
#error "USTORE_BUILD_ID is given by the build"
#endif

namespace ustore {
namespace {

std::mutex start_lock;
JavaVM* vm;
BridgeMethods methods;
pthread_key_t detach_key;
thread_local JNIEnv* thread_env;

int jvm_print(FILE*, const char* format, va_list args) {
  char line[2048];
  int n = vsnprintf(line, sizeof line, format, args);
  if (n > 0) {
    std::string text(line);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (!text.empty()) log_line(kLogError, "ustore: jvm: " + text);
  }
  return n;
}

void detach(void*) {
  thread_env = nullptr;
  vm->DetachCurrentThread();
}

// The text of the pending exception, which is cleared.
std::string take_exception(JNIEnv* env) {
  jthrowable thrown = env->ExceptionOccurred();
  env->ExceptionClear();
  if (!thrown) return "no exception";
  std::string text = "an exception that cannot be printed";
  jclass object = env->FindClass("java/lang/Object");
  jmethodID to_string = object ? env->GetMethodID(object, "toString", "()Ljava/lang/String;") : nullptr;
  auto message = to_string ? static_cast<jstring>(env->CallObjectMethod(thrown, to_string)) : nullptr;
  if (!env->ExceptionCheck() && message) {
    if (const char* chars = env->GetStringUTFChars(message, nullptr)) {
      text = chars;
      env->ReleaseStringUTFChars(message, chars);
    }
  }
  env->ExceptionClear();
  if (message) env->DeleteLocalRef(message);
  if (object) env->DeleteLocalRef(object);
  env->DeleteLocalRef(thrown);
  return text;
}

bool create_vm(const std::string& data, const std::string& library, const std::string& jar, const JvmConf& conf) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!handle) {
    log_format(kLogError, "ustore: cannot load %s: %s. %s", library.c_str(), dlerror(), kInstallJava);
    return false;
  }
  auto create = reinterpret_cast<jint (*)(JavaVM**, void**, void*)>(dlsym(handle, "JNI_CreateJavaVM"));
  if (!create) {
    log_format(kLogError, "ustore: %s is no JVM (no JNI_CreateJavaVM). %s", library.c_str(), kInstallJava);
    return false;
  }

  std::vector<std::string> texts = {
      "-Xrs",  // SIGTERM, SIGHUP and SIGINT stay the OSD's
      "-Xms64m",
      "-Xmx" + std::to_string(conf.heap_max),
      "-XX:MaxDirectMemorySize=" + std::to_string(conf.direct_max),
      "-XX:+UseZGC",
      "-XX:+UseCompactObjectHeaders",
      "-XX:-UsePerfData",
      "-XX:-CreateCoredumpOnCrash",
      "-XX:ErrorFile=" + data + "/hs_err_%p.log",
      "--enable-native-access=ALL-UNNAMED",
      "-Djava.class.path=" + jar,
  };
  texts.insert(texts.end(), conf.jvm_options.begin(), conf.jvm_options.end());
  // The printer goes first: it is to get what the JVM says of the others.
  std::vector<JavaVMOption> options = {{const_cast<char*>("vfprintf"), reinterpret_cast<void*>(&jvm_print)}};
  for (std::string& text : texts) options.push_back({text.data(), nullptr});

  JavaVMInitArgs args = {};
  args.version = JNI_VERSION_21;
  args.nOptions = static_cast<jint>(options.size());
  args.options = options.data();
  args.ignoreUnrecognized = JNI_FALSE;
  JNIEnv* env;
  JavaVM* created;
  jint r = create(&created, reinterpret_cast<void**>(&env), &args);
  if (r != JNI_OK) {
    std::string all;
    for (const std::string& text : texts) all += " " + text;
    log_format(kLogError,
               "ustore: the JVM %s does not start (error %d) with the options%s. Next: correct heap_max, direct_max and "
               "jvm_options in %s/ustore.conf; the JVM's own message is above.",
               library.c_str(), r, all.c_str(), data.c_str());
    return false;
  }
  pthread_key_create(&detach_key, detach);
  thread_env = env;  // the creating thread stays attached for good
  vm = created;
  return true;
}

bool mismatch(const std::string& jar, const std::string& what) {
  log_format(kLogError,
             "ustore: %s does not match libustore-ceph-16.so (build '%s'): %s. Next: install libustore-ceph.so, "
             "libustore-ceph-16.so and ustore-osd.jar of one build side by side.",
             jar.c_str(), USTORE_BUILD_ID, what.c_str());
  return false;
}

// Finds every method and hands Java the functions it may call. Java compares the build ids first.
bool init_bridge(JNIEnv* env, const std::string& jar) {
  jclass local = env->FindClass("org/ustore/ceph/Bridge");
  if (!local) return mismatch(jar, take_exception(env));
  jmethodID build_id = env->GetStaticMethodID(local, "buildId", "()Ljava/lang/String;");
  if (!build_id) return mismatch(jar, take_exception(env));
  auto id = static_cast<jstring>(env->CallStaticObjectMethod(local, build_id));
  if (env->ExceptionCheck() || !id) return mismatch(jar, take_exception(env));
  const char* chars = env->GetStringUTFChars(id, nullptr);
  std::string found = chars ? chars : "";
  if (chars) env->ReleaseStringUTFChars(id, chars);
  env->DeleteLocalRef(id);
  if (found != USTORE_BUILD_ID) return mismatch(jar, "the jar is of build '" + found + "'");

#define X(name, signature)                                             \
  methods.name = env->GetStaticMethodID(local, #name, signature);      \
  if (!methods.name) return mismatch(jar, take_exception(env));
  USTORE_BRIDGE_METHODS(X)
#undef X
  jmethodID init = env->GetStaticMethodID(local, "init", "(JI)V");
  if (!init) return mismatch(jar, take_exception(env));
  env->CallStaticVoidMethod(local, init, reinterpret_cast<jlong>(&kBridgeFunctions), static_cast<jint>(log_level()));
  if (env->ExceptionCheck()) {
    log_format(kLogError, "ustore: the Java side does not start: %s", take_exception(env).c_str());
    return false;
  }
  methods.type = static_cast<jclass>(env->NewGlobalRef(local));
  env->DeleteLocalRef(local);
  return true;
}

}  // namespace

bool jvm_start(const std::string& data, const std::string& home) {
  std::lock_guard<std::mutex> guard(start_lock);
  if (methods.type) return true;
  JvmConf conf;
  std::string error;
  std::string jar = home + "/ustore-osd.jar";
  if (!load_conf(data, conf, error)) {
    log_line(kLogError, "ustore: " + error);
    return false;
  }
  if (access(jar.c_str(), R_OK) != 0) {
    log_format(kLogError, "ustore: cannot read %s: %s. Next: keep ustore-osd.jar beside libustore-ceph.so, readable by the OSD's user.",
               jar.c_str(), strerror(errno));
    return false;
  }
  if (!vm) {
    std::string library = find_jvm(conf, getenv("JAVA_HOME"), "/usr/lib/jvm", error);
    if (library.empty()) {
      log_line(kLogError, error);
      return false;
    }
    if (!create_vm(data, library, jar, conf)) return false;
  }
  return init_bridge(jvm_env(), jar);
}

JNIEnv* jvm_env() {
  if (thread_env) return thread_env;
  char name[16] = "ceph";
  pthread_getname_np(pthread_self(), name, sizeof name);
  JavaVMAttachArgs args = {JNI_VERSION_21, name, nullptr};
  void* env = nullptr;
  if (vm->AttachCurrentThreadAsDaemon(&env, &args) != JNI_OK) {
    stop_process(std::string("ustore: thread '") + name + "' cannot be attached to the JVM: out of memory or threads", __func__);
  }
  thread_env = static_cast<JNIEnv*>(env);
  pthread_setspecific(detach_key, thread_env);
  return thread_env;
}

const BridgeMethods& bridge() { return methods; }

jlong call(jmethodID method, ...) {
  JNIEnv* env = jvm_env();
  va_list args;
  va_start(args, method);
  jlong r = env->CallStaticLongMethodV(methods.type, method, args);
  va_end(args);
  if (__builtin_expect(env->ExceptionCheck(), 0)) {
    log_line(kLogError, "ustore: Java failed: " + take_exception(env));
    return -EIO;
  }
  return r;
}

jobject call_object(jmethodID method, bool* failed, ...) {
  JNIEnv* env = jvm_env();
  va_list args;
  va_start(args, failed);
  jobject local = env->CallStaticObjectMethodV(methods.type, method, args);
  va_end(args);
  *failed = env->ExceptionCheck();
  if (*failed) {
    log_line(kLogError, "ustore: Java failed: " + take_exception(env));
    return nullptr;
  }
  if (!local) return nullptr;
  jobject global = env->NewGlobalRef(local);
  env->DeleteLocalRef(local);
  *failed = global == nullptr;
  return global;
}

void drop(jobject global) {
  if (global) jvm_env()->DeleteGlobalRef(global);
}

}  // namespace ustore
