// The JVM in this process: found, checked, created once, and every thread that needs it attached to it.
#pragma once

#include <jni.h>

#include <string>

namespace ustore {

// The static methods of org.ustore.ceph.Bridge, by which all calls into Java go.
struct BridgeMethods {
  jclass type;
#define USTORE_BRIDGE_METHODS(X)                                   \
  X(open, "(Ljava/lang/String;)Ljava/lang/Object;")                \
  X(mkfs, "(Ljava/lang/Object;JJ)J")                               \
  X(mount, "(Ljava/lang/Object;)J")                                \
  X(umount, "(Ljava/lang/Object;)J")                               \
  X(fsck, "(Ljava/lang/Object;Z)J")                                \
  X(statfs, "(Ljava/lang/Object;J)J")                              \
  X(poolStatfs, "(Ljava/lang/Object;JJ)J")                         \
  X(metadata, "(Ljava/lang/Object;J)J")                            \
  X(listCollections, "(Ljava/lang/Object;J)J")                     \
  X(collectionExists, "(Ljava/lang/Object;J)J")                    \
  X(openCollection, "(Ljava/lang/Object;J)Ljava/lang/Object;")     \
  X(createCollection, "(Ljava/lang/Object;J)Ljava/lang/Object;")   \
  X(queueTransactions, "(Ljava/lang/Object;Ljava/lang/Object;JIJJ)J") \
  X(flush, "(Ljava/lang/Object;)J")                                \
  X(collectionEmpty, "(Ljava/lang/Object;)J")                      \
  X(collectionBits, "(Ljava/lang/Object;)J")                       \
  X(list, "(Ljava/lang/Object;JJIJ)J")                             \
  X(exists, "(Ljava/lang/Object;J)J")                              \
  X(stat, "(Ljava/lang/Object;J)J")                                \
  X(read, "(Ljava/lang/Object;JJJJ)J")                             \
  X(readv, "(Ljava/lang/Object;JJIJ)J")                            \
  X(fiemap, "(Ljava/lang/Object;JJJJ)J")                           \
  X(attribute, "(Ljava/lang/Object;JJIJ)J")                        \
  X(attributes, "(Ljava/lang/Object;JJ)J")                         \
  X(omap, "(Ljava/lang/Object;JJ)J")                               \
  X(omapHeader, "(Ljava/lang/Object;JJ)J")                         \
  X(omapKeys, "(Ljava/lang/Object;JJ)J")                           \
  X(omapValues, "(Ljava/lang/Object;JJIJ)J")                       \
  X(omapExistingKeys, "(Ljava/lang/Object;JJIJ)J")                 \
  X(omapIterator, "(Ljava/lang/Object;J)Ljava/lang/Object;")       \
  X(iteratorSeek, "(Ljava/lang/Object;IJIIJ)J")                    \
  X(iteratorNext, "(Ljava/lang/Object;IJ)J")                       \
  X(iteratorClose, "(Ljava/lang/Object;)J")
#define X(name, signature) jmethodID name;
  USTORE_BRIDGE_METHODS(X)
#undef X
};

// Creates the JVM and initialises the bridge if that has not been done. False if it cannot be: the reason and the next
// step are in the log. Never to be called before the process has forked for the last time.
bool jvm_start(const std::string& data, const std::string& home);

// The JVM for the calling thread, which is attached as a daemon if need be and detached when it ends.
JNIEnv* jvm_env();

const BridgeMethods& bridge();

// Calls a method that returns 0 or more, or -errno. An exception that escapes it is logged and becomes -EIO.
jlong call(jmethodID method, ...);

// Calls a method that returns an object or null; the result is a global reference. An exception is logged and becomes
// null with `failed` set.
jobject call_object(jmethodID method, bool* failed, ...);

void drop(jobject global);

}  // namespace ustore
