// Record mode: with USTORE_RECORD=FILE in the environment every transaction an OSD queues is appended to FILE, so that
// the decoder can be tested on what a real OSD sent. The file stops growing at 64 MiB.
//
// File: records, one after the other, each little endian:
//
//   0 u32 magic 0x58545355 ("USTX") | 4 u32 ops bytes | 8 u32 data bytes | 12 u32 collections | 16 u32 objects
//  20 u32 bytes of the object table | 24 ops | data | collection table | object table
//
// The tables are those Java gets (see TransactionDescriptor): collection = u32 index, u32 0, collection;
// object = u32 index, u32 bytes, object, zeros up to a multiple of 8. Names are in the form of neutral.h.
#pragma once

#include "profile_16.h"

namespace ustore {

// How Java is told of one transaction; every field is 8 bytes, addresses are valid for the length of the call.
struct TransactionDescriptor {
  uint64_t ops;
  uint64_t ops_bytes;
  uint64_t op_count;
  uint64_t pieces;       // array of {u64 address, u64 bytes}: the data, in order
  uint64_t piece_count;
  uint64_t collections;  // table, see above
  uint64_t collection_count;
  uint64_t objects;      // table, see above
  uint64_t object_count;
  uint64_t objects_bytes;
};

void record_transaction(const TransactionDescriptor& transaction);

// Whether anything is recorded at all.
bool recording();

}  // namespace ustore
