package org.ustore.engine.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Blocks and a volatile cache in front of them. Memory is the blocks ever written; others are zeros. Belongs to its disk.
 */
final class SimulatedMedium {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int SECTOR = 512;

    /** One block written since the last flush that took it. */
    private static final class Cached {
        final int block;
        final byte[] content;
        /** A flush has failed on it: no later one makes it durable, which is how Linux has it. */
        boolean doomed;

        Cached(int block, byte[] content) {
            this.block = block;
            this.content = content;
        }
    }

    private final Map<Integer, byte[]> durable = new HashMap<>();
    /** What a reader sees where it differs from what is durable. */
    private final Map<Integer, byte[]> visible = new HashMap<>();

    private List<Cached> cache = new ArrayList<>();

    /** Content as a reader sees it; not to be changed. */
    byte[] get(int block) {
        byte[] content = visible.get(block);
        return content == null ? durable.getOrDefault(block, new byte[BLOCK]) : content;
    }

    boolean isWritten(int block) {
        return visible.containsKey(block) || durable.containsKey(block);
    }

    int writtenBlocks() {
        Set<Integer> all = new HashSet<>(durable.keySet());
        all.addAll(visible.keySet());
        return all.size();
    }

    /** Writes to the cache. */
    void put(int block, byte[] content) {
        visible.put(block, content);
        cache.add(new Cached(block, content));
    }

    /** Sets durable content, as if it had always been there. */
    void set(int block, byte[] content) {
        durable.put(block, content);
        if (visible.containsKey(block)) {
            visible.put(block, content);
        }
    }

    /** Makes the cache durable. */
    void flush() {
        Set<Integer> rewritten = new HashSet<>();
        for (Cached write : cache) {
            if (!write.doomed) {
                durable.put(write.block, write.content);
                rewritten.add(write.block);
            }
        }
        cache.removeIf(write -> !write.doomed || rewritten.contains(write.block));
        rewritten.forEach(visible::remove);
    }

    /** A flush that failed: what it should have made durable may never be. */
    void failFlush() {
        cache.forEach(write -> write.doomed = true);
    }

    /** The cache is lost: each write of a block is there, gone or torn. */
    void lose(Random random) {
        visible.clear();
        int keptOfTen = random.nextInt(11);
        for (Cached write : cache) {
            if (random.nextInt(10) < keptOfTen) {
                durable.put(write.block, write.content);
            } else if (random.nextInt(4) == 0) {
                durable.put(write.block, torn(get(write.block), write.content, random));
            }
        }
        cache = new ArrayList<>();
    }

    /** The first sectors of one content, the rest of the other. */
    static byte[] torn(byte[] before, byte[] after, Random random) {
        byte[] result = before.clone();
        System.arraycopy(after, 0, result, 0, random.nextInt(BLOCK / SECTOR) * SECTOR);
        return result;
    }
}
