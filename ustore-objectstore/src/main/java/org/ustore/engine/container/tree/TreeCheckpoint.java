package org.ustore.engine.container.tree;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.ustore.engine.container.Checkpoint;
import org.ustore.engine.container.PageSpace;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.device.BlockDevice;

/**
 * Writes the pages of a frozen tree that the device does not have.
 *
 * <p>A page that is not on the device has no parent that is, so those to write are found from the root without looking
 * at others. Children get their place before their parents, which hold it.
 */
final class TreeCheckpoint implements Checkpoint {
    /** Longest run asked for: 1 MiB. */
    private static final int RUN_BLOCKS = 256;

    private final PageIo io;
    private final PageCache cache;
    private final PageSpace space;
    private final FrozenRoot root;
    private final long generation;
    private final End end;

    /** Told, by the writer, how a checkpoint ended. */
    interface End {
        /** It is in the superblock, or it never will be. */
        void ended(FrozenRoot root, boolean installed);
    }

    TreeCheckpoint(PageIo io, PageCache cache, PageSpace space, FrozenRoot root, long generation, End end) {
        this.io = io;
        this.cache = cache;
        this.space = space;
        this.root = root;
        this.generation = generation;
        this.end = end;
    }

    @Override
    public RootRef write() {
        List<PageRef> pages = new ArrayList<>();
        collect(root.ref(), pages);
        try {
            place(pages);
            for (PageRef ref : pages) {
                seal(ref);
            }
            pages.sort(Comparator.comparingLong(ref -> ref.block));
            io.write(pages);
            io.flush();
        } catch (RuntimeException e) {
            displace(pages);
            throw e;
        }
        for (PageRef ref : pages) {
            cache.becameClean(ref, content(ref));
        }
        PageRef top = root.ref();
        return new RootRef(top.block, top.blocks, top.checksum, top.level + 1, root.keys(), generation);
    }

    private static void collect(PageRef ref, List<PageRef> into) {
        if (ref.written) {
            return;
        }
        Page page = content(ref);
        for (int i = 0; page.level > 0 && i < page.count; i++) {
            collect(page.children[i], into);
        }
        into.add(ref);
    }

    private static Page content(PageRef ref) {
        Page page = ref.page;
        if (page == null) {
            throw new IllegalStateException("a page that is not written left memory");
        }
        return page;
    }

    /** Gives each page a place, in the order of keys as far as free space allows. */
    private void place(List<PageRef> pages) {
        long wanted = 0;
        for (PageRef ref : pages) {
            wanted += blocks(ref);
        }
        long next = 0;
        int left = 0;
        try {
            for (PageRef ref : pages) {
                int blocks = blocks(ref);
                if (left < blocks) {
                    giveBack(next, left);
                    left = 0;
                    PageSpace.Run run = space.allocate(blocks, (int) Math.min(wanted, RUN_BLOCKS));
                    next = run.block();
                    left = run.blocks();
                }
                ref.blocks = blocks;
                ref.block = next;
                next += blocks;
                left -= blocks;
                wanted -= blocks;
            }
        } finally {
            giveBack(next, left);
        }
    }

    /** Gives back the places of pages that nothing refers to: on a full device deletes may need them. */
    private void displace(List<PageRef> pages) {
        for (PageRef ref : pages) {
            giveBack(ref.block, ref.block == 0 ? 0 : ref.blocks);
            ref.block = 0;
        }
    }

    private static int blocks(PageRef ref) {
        return content(ref).data.length / BlockDevice.BLOCK_BYTES;
    }

    private void giveBack(long block, int blocks) {
        if (blocks > 0) {
            space.free(block, blocks);
        }
    }

    private void seal(PageRef ref) {
        Page page = content(ref);
        for (int i = 0; page.level > 0 && i < page.count; i++) {
            page.setChildPlace(i, page.children[i]);
        }
        ref.checksum = PageFormat.seal(page, ref.block, generation);
    }

    @Override
    public void installed() {
        end.ended(root, true);
    }

    @Override
    public void abandon() {
        end.ended(root, false);
    }
}
