package org.ustore.ceph;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;

/** A transaction as text, one line per operation and one per attribute or key; values by length and CRC-32C. */
final class TransactionDump {
    private final StringBuilder out = new StringBuilder();

    static String of(Transaction transaction) {
        TransactionDump dump = new TransactionDump();
        transaction.operations().forEach(dump::operation);
        return dump.out.toString();
    }

    private void operation(Operation operation) {
        out.append("  ")
                .append(operation.getClass().getSimpleName())
                .append(' ')
                .append(operation.collection());
        switch (operation) {
            case Operation.Touch op -> line(op.object());
            case Operation.Write op ->
                line(op.object(), op.offset() + "~" + value(op.data().toByteArray()));
            case Operation.Zero op -> line(op.object(), op.offset() + "~" + op.length());
            case Operation.Truncate op -> line(op.object(), op.size());
            case Operation.Remove op -> line(op.object());
            case Operation.SetAttributes op -> {
                line(op.object());
                entries(op.attributes());
            }
            case Operation.RemoveAttribute op -> line(op.object(), op.name());
            case Operation.RemoveAllAttributes op -> line(op.object());
            case Operation.Clone op -> line(op.source(), "to", op.target());
            case Operation.CloneRange op ->
                line(op.source(), op.offset() + "~" + op.length(), "to", op.target(), op.targetOffset());
            case Operation.Rename op -> line(op.source(), "to", op.targetCollection(), op.target());
            case Operation.OmapClear op -> line(op.object());
            case Operation.OmapSetKeys op -> {
                line(op.object());
                entries(op.entries());
            }
            case Operation.OmapRemoveKeys op -> {
                line(op.object());
                new TreeSet<>(op.keys())
                        .forEach(key -> out.append("    ").append(key).append('\n'));
            }
            case Operation.OmapRemoveKeyRange op -> line(op.object(), op.first(), "to", op.last());
            case Operation.OmapSetHeader op ->
                line(op.object(), value(op.header().toByteArray()));
            case Operation.SetAllocationHint op ->
                line(
                        op.object(),
                        "object=" + op.expectedObjectSize(),
                        "write=" + op.expectedWriteSize(),
                        "flags=" + op.flags());
            case Operation.MakeCollection op -> line("bits=" + op.bits());
            case Operation.RemoveCollection _ -> line();
            case Operation.SetCollectionBits op -> line("bits=" + op.bits());
            case Operation.SplitCollection op -> line("to", op.child(), "bits=" + op.bits(), "seed=" + op.seed());
            case Operation.MergeCollection op -> line("to", op.target(), "bits=" + op.bits());
        }
    }

    private void line(Object... words) {
        for (Object word : words) {
            out.append(' ').append(word);
        }
        out.append('\n');
    }

    private void entries(Map<ByteString, ByteString> map) {
        new TreeMap<>(map)
                .forEach((key, entry) -> out.append("    ")
                        .append(key)
                        .append(' ')
                        .append(value(entry.toByteArray()))
                        .append('\n'));
    }

    private static String value(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return String.format("%d:%08x", bytes.length, crc.getValue());
    }
}
