// Prints the virtual methods the release profile declares, one a line:
//
//   <class> TAB <slot> TAB <method> TAB <parameters in Ceph's types> [ const]
//
// The slot is not written down here: the compiler gives it, in the pointer to the member. Slots a class has but that are
// not printed are those of its destructor. With --demangle prints the demangled form of every symbol on standard input.

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <typeinfo>

#include "profile_16.h"

namespace {

using ustore::CollectionImpl;
using ustore::Context;
using ustore::Formatter;
using ustore::LogEntry;
using ustore::ObjectStore;
using ustore::OmapIteratorImpl;

// In the Itanium C++ ABI a pointer to a virtual member holds 1 + 8 * slot, then the adjustment of `this`.
template <typename Member>
long slot_of(Member member) {
  static_assert(sizeof(Member) == 16);
  long words[2];
  memcpy(words, &member, sizeof words);
  if (words[0] % 8 != 1 || words[1] != 0) {
    fprintf(stderr, "not a virtual method of a single-inheritance class: %lx %lx\n", words[0], words[1]);
    exit(1);
  }
  return words[0] / 8;
}

std::string demangle(const char* symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : symbol;
  free(text);
  return result;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// "R (C::*)(A, B) const" -> "(A, B) const", in Ceph's names.
template <typename Member>
std::string parameters(Member) {
  std::string text = demangle(typeid(Member).name());
  text = text.substr(text.find("::*)(") + 4);
  const char* names[][2] = {
      {"ustore::CollectionHandle", "boost::intrusive_ptr<ObjectStore::CollectionImpl>"},
      {"ustore::CephTransaction", "ceph::os::Transaction"},
      {"ustore::ContextQueue", "ContextQueue"},
      {"ustore::IntervalSet", "interval_set<unsigned long, std::map>"},
      {"ustore::Formatter", "ceph::Formatter"},
      {"ustore::GHObject", "ghobject_t"},
      {"ustore::HObject", "hobject_t"},
      {"ustore::Context", "Context"},
      {"ustore::Statfs", "store_statfs_t"},
      {"ustore::Coll", "coll_t"},
      {"ustore::Uuid", "uuid_d"},
  };
  for (auto& name : names) replace_all(text, name[0], name[1]);
  return text;
}

template <typename Member>
void print(const char* type, const char* method, Member member, const char* opaque = "",
           const char* opaque_in_ceph = "") {
  std::string text = parameters(member);
  if (*opaque) replace_all(text, opaque, opaque_in_ceph);
  printf("%s\t%ld\t%s\t%s\n", type, slot_of(member), method, text.c_str());
}

#define SLOT(type, method) print(#type, #method, &type::method)
#define OVERLOADED(type, method, signature) print(#type, #method, static_cast<signature>(&type::method))

void print_store() {
  SLOT(ObjectStore, get_cur_stats);
  SLOT(ObjectStore, get_perf_counters);
  print("ObjectStore", "queue_transactions", &ObjectStore::queue_transactions, "void const*, void*",
        "boost::intrusive_ptr<TrackedOp>, ThreadPool::TPHandle*");
  SLOT(ObjectStore, upgrade);
  SLOT(ObjectStore, get_db_statistics);
  SLOT(ObjectStore, generate_db_histogram);
  SLOT(ObjectStore, flush_cache);
  SLOT(ObjectStore, dump_perf_counters);
  OVERLOADED(ObjectStore, dump_cache_stats, void (ObjectStore::*)(Formatter*));
  OVERLOADED(ObjectStore, dump_cache_stats, void (ObjectStore::*)(std::ostream&));
  SLOT(ObjectStore, get_type);
  SLOT(ObjectStore, test_mount_in_use);
  SLOT(ObjectStore, mount);
  SLOT(ObjectStore, umount);
  SLOT(ObjectStore, fsck);
  SLOT(ObjectStore, repair);
  SLOT(ObjectStore, quick_fix);
  SLOT(ObjectStore, set_cache_shards);
  SLOT(ObjectStore, validate_hobject_key);
  SLOT(ObjectStore, get_max_attr_name_length);
  SLOT(ObjectStore, mkfs);
  SLOT(ObjectStore, mkjournal);
  SLOT(ObjectStore, needs_journal);
  SLOT(ObjectStore, wants_journal);
  SLOT(ObjectStore, allows_journal);
  SLOT(ObjectStore, get_min_alloc_size);
  SLOT(ObjectStore, get_devices);
  SLOT(ObjectStore, is_sync_onreadable);
  SLOT(ObjectStore, is_rotational);
  SLOT(ObjectStore, is_journal_rotational);
  SLOT(ObjectStore, get_default_device_class);
  SLOT(ObjectStore, get_numa_node);
  SLOT(ObjectStore, can_sort_nibblewise);
  SLOT(ObjectStore, statfs);
  SLOT(ObjectStore, pool_statfs);
  SLOT(ObjectStore, collect_metadata);
  SLOT(ObjectStore, write_meta);
  SLOT(ObjectStore, read_meta);
  SLOT(ObjectStore, get_ideal_list_max);
  SLOT(ObjectStore, open_collection);
  SLOT(ObjectStore, create_new_collection);
  SLOT(ObjectStore, set_collection_commit_queue);
  SLOT(ObjectStore, exists);
  print("ObjectStore", "set_collection_opts", &ObjectStore::set_collection_opts, "void const*", "pool_opts_t const&");
  SLOT(ObjectStore, stat);
  SLOT(ObjectStore, read);
  OVERLOADED(ObjectStore, fiemap,
             int (ObjectStore::*)(ustore::CollectionHandle&, const ustore::GHObject&, uint64_t, size_t,
                                  ustore::bufferlist&));
  OVERLOADED(ObjectStore, fiemap,
             int (ObjectStore::*)(ustore::CollectionHandle&, const ustore::GHObject&, uint64_t, size_t,
                                  std::map<uint64_t, uint64_t>&));
  SLOT(ObjectStore, readv);
  SLOT(ObjectStore, dump_onode);
  SLOT(ObjectStore, getattr);
  SLOT(ObjectStore, getattrs);
  SLOT(ObjectStore, list_collections);
  SLOT(ObjectStore, collection_exists);
  SLOT(ObjectStore, collection_empty);
  SLOT(ObjectStore, collection_bits);
  SLOT(ObjectStore, collection_list);
  SLOT(ObjectStore, collection_list_legacy);
  SLOT(ObjectStore, omap_get);
  SLOT(ObjectStore, omap_get_header);
  SLOT(ObjectStore, omap_get_keys);
  SLOT(ObjectStore, omap_get_values);
  SLOT(ObjectStore, omap_check_keys);
  SLOT(ObjectStore, get_omap_iterator);
  SLOT(ObjectStore, flush_journal);
  SLOT(ObjectStore, dump_journal);
  SLOT(ObjectStore, snapshot);
  SLOT(ObjectStore, set_fsid);
  SLOT(ObjectStore, get_fsid);
  SLOT(ObjectStore, estimate_objects_overhead);
  SLOT(ObjectStore, inject_data_error);
  SLOT(ObjectStore, inject_mdata_error);
  SLOT(ObjectStore, compact);
  SLOT(ObjectStore, has_builtin_csum);
}

void print_others() {
  SLOT(CollectionImpl, flush);
  SLOT(CollectionImpl, flush_commit);

  SLOT(OmapIteratorImpl, seek_to_first);
  SLOT(OmapIteratorImpl, upper_bound);
  SLOT(OmapIteratorImpl, lower_bound);
  SLOT(OmapIteratorImpl, valid);
  SLOT(OmapIteratorImpl, next);
  SLOT(OmapIteratorImpl, key);
  SLOT(OmapIteratorImpl, tail_key);
  SLOT(OmapIteratorImpl, value);
  SLOT(OmapIteratorImpl, status);

  SLOT(Formatter, enable_line_break);
  SLOT(Formatter, flush);
  SLOT(Formatter, reset);
  SLOT(Formatter, set_status);
  SLOT(Formatter, output_header);
  SLOT(Formatter, output_footer);
  SLOT(Formatter, open_array_section);
  SLOT(Formatter, open_array_section_in_ns);
  SLOT(Formatter, open_object_section);
  SLOT(Formatter, open_object_section_in_ns);
  SLOT(Formatter, close_section);
  SLOT(Formatter, dump_unsigned);
  SLOT(Formatter, dump_int);
  SLOT(Formatter, dump_float);
  SLOT(Formatter, dump_string);

  SLOT(Context, finish);
  SLOT(Context, sync_finish);
  SLOT(Context, complete);
  SLOT(Context, sync_complete);

  print("LogEntry", "strv", &LogEntry::text);
  SLOT(LogEntry, size);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--demangle") == 0) {
    for (std::string line; std::getline(std::cin, line);) printf("%s\n", demangle(line.c_str()).c_str());
    return 0;
  }
  if (argc != 1) {
    fprintf(stderr, "usage: ustore-abi-slots [--demangle]\n");
    return 2;
  }
  print_store();
  print_others();
  return 0;
}
