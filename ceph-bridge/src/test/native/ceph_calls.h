// Functions of ceph-osd and of libceph-common.so.2 that the tests call, taking the profile's types for Ceph's own.
#pragma once

#include "profile_16.h"

namespace ustore::abi {

using Iterator = bufferlist::const_iterator;

int ceph_cmp(const GHObject& a, const GHObject& b) asm("_Z3cmpRK10ghobject_tS1_");
GHObject ceph_object_max() asm("_ZN10ghobject_t7get_maxEv");
void ceph_encode(const GHObject* object, bufferlist& to) asm(
    "_ZNK10ghobject_t6encodeERN4ceph6buffer7v15_2_04listE");
void ceph_decode(GHObject* object, Iterator& from) asm(
    "_ZN10ghobject_t6decodeERN4ceph6buffer7v15_2_04list13iterator_implILb1EEE");

void ceph_encode(const Coll* cid, bufferlist& to) asm("_ZNK6coll_t6encodeERN4ceph6buffer7v15_2_04listE");
void ceph_decode(Coll* cid, Iterator& from) asm(
    "_ZN6coll_t6decodeERN4ceph6buffer7v15_2_04list13iterator_implILb1EEE");
bool ceph_parse(Coll* cid, const std::string& text) asm(
    "_ZN6coll_t5parseERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");

void ceph_encode(const CephTransaction* transaction, bufferlist& to) asm(
    "_ZNK4ceph2os11Transaction6encodeERNS_6buffer7v15_2_04listE");
void ceph_decode(CephTransaction* transaction, Iterator& from) asm(
    "_ZN4ceph2os11Transaction6decodeERNS_6buffer7v15_2_04list13iterator_implILb1EEE");
void ceph_dump(CephTransaction* transaction, Formatter* to) asm("_ZN4ceph2os11Transaction4dumpEPNS_9FormatterE");

void ceph_put(const RefCounted* object) asm("_ZNK4ceph6common16RefCountedObject3putEv");
void ceph_get(const RefCounted* object) asm("_ZNK4ceph6common16RefCountedObject4_getEv");

Formatter* ceph_formatter(std::string_view type, std::string_view standard, std::string_view fallback) asm(
    "_ZN4ceph9Formatter6createESt17basic_string_viewIcSt11char_traitsIcEES4_S4_");

uint32_t ceph_reverse_bits(uint32_t value) asm("reverse_bits");
uint32_t ceph_reverse_nibbles(uint32_t value) asm("reverse_nibbles");

// The growing of a full vector: they move every element, hence know how far apart the elements are.
void ceph_grow(std::vector<GHObject>* vector, GHObject* at, const GHObject& added) asm(
    "_ZNSt6vectorI10ghobject_tSaIS0_EE17_M_realloc_insertIJRKS0_EEEvN9__gnu_cxx17__normal_iteratorIPS0_S2_EEDpOT_");
void ceph_grow(std::vector<Coll>* vector, Coll* at, const Coll& added) asm(
    "_ZNSt6vectorI6coll_tSaIS0_EE17_M_realloc_insertIJRKS0_EEEvN9__gnu_cxx17__normal_iteratorIPS0_S2_EEDpOT_");
void ceph_grow(std::vector<CephTransaction>* vector, CephTransaction* at, CephTransaction&& added) asm(
    "_ZNSt6vectorIN4ceph2os11TransactionESaIS2_EE17_M_realloc_insertIJS2_EEEvN9__gnu_cxx17__normal_iteratorIPS2_S4_EE"
    "DpOT_");

void ceph_dump(const Statfs* statfs, Formatter* to) asm("_ZNK14store_statfs_t4dumpEPN4ceph9FormatterE");

void ceph_log_file(void* log, std::string_view path) asm(
    "_ZN4ceph7logging3Log12set_log_fileESt17basic_string_viewIcSt11char_traitsIcEE");
void ceph_log_reopen(void* log) asm("_ZN4ceph7logging3Log15reopen_log_fileEv");
void ceph_log_start(void* log) asm("_ZN4ceph7logging3Log5startEv");

// A CephContext is constructed in memory of our own, as its size is no business of the shim's.
void ceph_context(void* cct, uint32_t entity, int environment, int flags) asm(
    "_ZN4ceph6common11CephContextC1Ej18code_environment_ti");
extern void* ceph_global_context asm("_ZN4ceph6global14g_ceph_contextE");
ObjectStore* ceph_create_store(
    void* cct, const std::string& type, const std::string& data, const std::string& journal, unsigned flags) asm(
    "_ZN11ObjectStore6createEPN4ceph6common11CephContextERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESB_SB_j");

}  // namespace ustore::abi
