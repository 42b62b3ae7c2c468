#pragma once

#include <string>

#include "profile_16.h"
#include "random_names.h"
#include "report.h"

namespace ustore::abi {

// Each compares one part of the profile with the program it runs in.
void check_names(Report& report, Random& random);
void check_transactions(Report& report, Random& random);
void check_objects(Report& report, Random& random);
// Drives the program's MemStore, in the empty folder `data`, through the profile's declaration of ObjectStore.
void check_store(Report& report, Random& random, const std::string& data);

// Write files that the Java tests read; false if they cannot be written.
bool emit_objects(Random& random, size_t count, const char* file);
bool emit_collections(Random& random, size_t count, const char* file);

// Names the field that differs, or "".
std::string difference(const GHObject& a, const GHObject& b);
std::string difference(const Coll& a, const Coll& b);

}  // namespace ustore::abi
