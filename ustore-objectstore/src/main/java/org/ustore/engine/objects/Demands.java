package org.ustore.engine.objects;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.core.Demand;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;

/** Adds up the most that transactions may take, from what they say and, for clones, from what is there now. */
final class Demands {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int COLLECTION_BYTES = 64;
    /** Of an object besides its name: key, fixed part, cells of the tree. */
    private static final int OBJECT_BYTES = 200;
    /** Of an attribute or omap entry besides what it holds. */
    private static final int ENTRY_BYTES = 32;
    /** Most of a mapped block in two values of its chunk. */
    private static final int BLOCK_ENTRY_BYTES = 12;
    /** Of the two keys of a chunk. */
    private static final int CHUNK_BYTES = 64;
    /** An operation changes at most an object, places, checksums and omap. */
    private static final int PAGES_PER_OPERATION = 4;
    /** Usage, collections, nids, and the inner pages above. */
    private static final int PAGES_PER_TRANSACTION = 8;

    private final ObjectTable table;
    private long pages = PAGES_PER_TRANSACTION;
    private long dataBlocks;
    private long metadataBytes;
    private long writtenBytes;
    private boolean addsData;
    private boolean deletes;

    private Demands(ObjectTable table) {
        this.table = table;
    }

    /** Of all the transactions, beyond the data already redirected; under the lock. */
    static Demand of(ObjectTable table, List<Transaction> transactions, List<@Nullable Redirect> redirects) {
        Demands sum = new Demands(table);
        int i = 0;
        for (Transaction transaction : transactions) {
            for (Operation operation : transaction.operations()) {
                sum.add(operation, redirects.get(i++));
            }
        }
        Demand.Purpose purpose =
                sum.addsData ? Demand.Purpose.DATA : sum.deletes ? Demand.Purpose.DELETE : Demand.Purpose.METADATA;
        return new Demand(sum.dataBlocks, sum.metadataBytes, sum.pages, purpose);
    }

    private void add(Operation operation, @Nullable Redirect redirect) {
        pages += PAGES_PER_OPERATION;
        switch (operation) {
            case Operation.Touch o -> metadataBytes += objectBytes(o.object());
            case Operation.Write o -> addWrite(o, redirect);
            case Operation.Zero o -> {
                metadataBytes += objectBytes(o.object());
                addBlocks(2, 2);
            }
            case Operation.Truncate _ -> {
                addBlocks(1, 1);
                deletes = true;
            }
            case Operation.Remove _,
                    Operation.RemoveAttribute _,
                    Operation.RemoveAllAttributes _,
                    Operation.OmapClear _,
                    Operation.OmapRemoveKeys _,
                    Operation.OmapRemoveKeyRange _,
                    Operation.RemoveCollection _ -> deletes = true;
            case Operation.SetAttributes o -> addEntries(o.attributes());
            case Operation.OmapSetKeys o -> addEntries(o.entries());
            case Operation.OmapSetHeader o -> metadataBytes += o.header().length();
            case Operation.Clone o -> addClone(o);
            case Operation.CloneRange o -> addCloneRange(o);
            case Operation.Rename o -> metadataBytes += objectBytes(o.target());
            case Operation.MakeCollection _ -> metadataBytes += COLLECTION_BYTES;
            case Operation.SetAllocationHint _,
                    Operation.SetCollectionBits _,
                    Operation.SplitCollection _,
                    Operation.MergeCollection _ -> {
                // nothing new
            }
        }
    }

    private void addBlocks(long allocated, long mapped) {
        dataBlocks += allocated;
        metadataBytes += mapped * BLOCK_ENTRY_BYTES + (mapped / Chunk.BLOCKS + 2) * CHUNK_BYTES;
    }

    private static long objectBytes(ObjectId object) {
        return OBJECT_BYTES
                + 2L
                        * (object.name().length()
                                + object.key().length()
                                + object.nspace().length());
    }

    private void addEntries(Map<ByteString, ByteString> entries) {
        entries.forEach((key, value) -> metadataBytes += ENTRY_BYTES + key.length() + value.length());
    }

    private void addWrite(Operation.Write write, @Nullable Redirect redirect) {
        long size = write.data().sizeBytes();
        metadataBytes += objectBytes(write.object());
        writtenBytes += size;
        if (size > 0) {
            long blocks = (write.offset() + size - 1) / BLOCK - write.offset() / BLOCK + 1;
            addBlocks(redirect == null ? blocks : blocks - redirect.blocks.length, blocks);
            addsData = true;
        }
    }

    private void addClone(Operation.Clone clone) {
        addsData = true;
        Onode source = table.find(clone.source());
        // A source made by these transactions has at most what they have added so far.
        long most = metadataBytes;
        if (source != null) {
            most += source.memoryBytes() + 4 * source.omapBytes;
            addBlocks(0, source.mappedBlocks);
            metadataBytes += (long) source.sizeBlocks() / Chunk.BLOCKS * CHUNK_BYTES;
        }
        metadataBytes += most + objectBytes(clone.target());
    }

    private void addCloneRange(Operation.CloneRange range) {
        addsData = true;
        Onode source = table.find(range.source());
        long most = source == null ? ObjectStore.MAX_OBJECT_BYTES : source.size + writtenBytes;
        long blocks = Math.min(range.length(), most) / BLOCK + 2;
        boolean shares = (range.offset() - range.targetOffset()) % BLOCK == 0
                && !range.source().equals(range.target());
        metadataBytes += objectBytes(range.target());
        addBlocks(shares ? 2 : blocks, blocks);
    }
}
