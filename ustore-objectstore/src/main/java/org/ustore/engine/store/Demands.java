package org.ustore.engine.store;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.Catalog;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Onode;
import org.ustore.engine.meta.Usage;
import org.ustore.engine.shard.Demand;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;

/** Adds up the most that transactions may take, from what they say and, for clones, from what is there now. */
final class Demands {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int COLLECTION_BYTES = 64;

    private final Catalog catalog;
    private long dataBlocks;
    private long metadataBytes;
    private long writtenBytes;
    private boolean addsData;
    private boolean deletes;

    private Demands(Catalog catalog) {
        this.catalog = catalog;
    }

    /** Of all the transactions, beyond the data already redirected; under the lock. */
    static Demand of(Catalog catalog, List<Transaction> transactions, List<@Nullable Redirect> redirects) {
        Demands sum = new Demands(catalog);
        int i = 0;
        for (Transaction transaction : transactions) {
            for (Operation operation : transaction.operations()) {
                sum.add(operation, redirects.get(i++));
            }
        }
        Demand.Purpose purpose =
                sum.addsData ? Demand.Purpose.DATA : sum.deletes ? Demand.Purpose.DELETE : Demand.Purpose.METADATA;
        return new Demand(sum.dataBlocks, sum.metadataBytes, purpose);
    }

    private void add(Operation operation, @Nullable Redirect redirect) {
        switch (operation) {
            case Operation.Touch o -> metadataBytes += Usage.objectBytes(o.object());
            case Operation.Write o -> addWrite(o, redirect);
            case Operation.Zero o -> {
                metadataBytes += Usage.objectBytes(o.object());
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
            case Operation.Rename o -> metadataBytes += Usage.objectBytes(o.target());
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
        metadataBytes += mapped * Usage.BLOCK_BYTES;
    }

    private void addEntries(Map<ByteString, ByteString> entries) {
        entries.forEach((key, value) -> metadataBytes += Usage.entryBytes(key, value));
    }

    private void addWrite(Operation.Write write, @Nullable Redirect redirect) {
        long size = write.data().sizeBytes();
        metadataBytes += Usage.objectBytes(write.object());
        writtenBytes += size;
        if (size > 0) {
            long blocks = (write.offset() + size - 1) / BLOCK - write.offset() / BLOCK + 1;
            addBlocks(redirect == null ? blocks : blocks - redirect.blocks.length, blocks);
            addsData = true;
        }
    }

    private @Nullable Onode find(CollectionId id, ObjectId object) {
        CollectionState collection = catalog.collection(id);
        return collection == null ? null : collection.objects().get(object);
    }

    private void addClone(Operation.Clone clone) {
        addsData = true;
        Onode source = find(clone.collection(), clone.source());
        // A source made by these transactions has at most what they have added so far.
        Usage most = new Usage();
        most.imageBytes = metadataBytes;
        if (source != null) {
            most.addObject(clone.target(), source);
        }
        metadataBytes += most.imageBytes + Usage.objectBytes(clone.target());
    }

    private void addCloneRange(Operation.CloneRange range) {
        addsData = true;
        Onode source = find(range.collection(), range.source());
        long most = source == null ? ObjectStore.MAX_OBJECT_BYTES : source.size + writtenBytes;
        long blocks = Math.min(range.length(), most) / BLOCK + 2;
        boolean shares = (range.offset() - range.targetOffset()) % BLOCK == 0
                && !range.source().equals(range.target());
        metadataBytes += Usage.objectBytes(range.target());
        addBlocks(shares ? 2 : blocks, blocks);
    }
}
