package org.ustore.ceph;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Transactions that real OSDs queued, and what they decode to. The files are made from a recording by {@link #main}; how
 * to make one says the README beside them.
 */
final class GoldenTransactions {
    static final String RECORDING = "transactions-16.2.15.bin.gz";
    static final String DUMP = "transactions-16.2.15.txt";

    /** Transactions kept of each combination of operations. */
    private static final int PER_COMBINATION = 2;
    /** Larger ones are kept only for an operation that no smaller one has. */
    private static final int MAX_BYTES = 8192;

    private GoldenTransactions() {}

    static List<RecordedTransaction> load() {
        try (InputStream in = new GZIPInputStream(resource(RECORDING))) {
            return RecordedTransaction.readAll(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String loadDump() {
        try (InputStream in = resource(DUMP)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream resource(String name) throws IOException {
        InputStream in = GoldenTransactions.class.getResourceAsStream(name);
        if (in == null) {
            throw new IOException("no test resource " + name + " beside " + GoldenTransactions.class.getName());
        }
        return in;
    }

    static String dump(List<RecordedTransaction> transactions, int pieces, Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < transactions.size(); i++) {
            try (Arena arena = Arena.ofConfined()) {
                text.append("transaction ")
                        .append(i)
                        .append(' ')
                        .append(names(transactions.get(i).codes()))
                        .append('\n')
                        .append(TransactionDump.of(transactions.get(i).decode(arena, pieces, random)));
            }
        }
        return text.toString();
    }

    /** The operations of the transactions, by name. */
    static Set<WireOp> operations(List<RecordedTransaction> transactions) {
        Set<WireOp> all = new TreeSet<>();
        transactions.forEach(transaction -> all.addAll(names(transaction.codes())));
        return all;
    }

    private static Set<WireOp> names(Set<Integer> codes) {
        Set<WireOp> names = new TreeSet<>();
        for (int code : codes) {
            WireOp op = WireOp.of(code);
            if (op == null) {
                throw new IllegalStateException("operation of unknown code " + code);
            }
            names.add(op);
        }
        return names;
    }

    private static List<RecordedTransaction> select(List<RecordedTransaction> all) {
        Map<Set<Integer>, Integer> kept = new HashMap<>();
        List<RecordedTransaction> selection = new ArrayList<>();
        for (RecordedTransaction one : all) {
            if (one.encode().length <= MAX_BYTES && kept.merge(one.codes(), 1, Integer::sum) <= PER_COMBINATION) {
                selection.add(one);
            }
        }
        Set<WireOp> missing = operations(all);
        missing.removeAll(operations(selection));
        for (WireOp op : missing) {
            all.stream()
                    .filter(one -> one.codes().contains(op.code()))
                    .min(Comparator.comparingInt(one -> one.encode().length))
                    .ifPresent(selection::add);
        }
        return selection;
    }

    /** Makes the golden files: arguments are the recording and the folder to write to. */
    public static void main(String[] args) throws IOException {
        List<RecordedTransaction> all = RecordedTransaction.readAll(Files.readAllBytes(Path.of(args[0])));
        List<RecordedTransaction> selection = select(all);
        Path folder = Path.of(args[1]);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            for (RecordedTransaction one : selection) {
                new ByteArrayInputStream(one.encode()).transferTo(out);
            }
        }
        Files.write(folder.resolve(RECORDING), packed.toByteArray());
        Files.writeString(folder.resolve(DUMP), dump(selection, 1, new Random(0)));
        // All of them, so that a recording is a test of its own.
        int lines = dump(all, 3, new Random(0)).length();
        System.out.println(all.size() + " transactions decoded, " + lines + " characters of text; kept "
                + selection.size() + ", " + packed.size() + " bytes, with " + operations(selection));
    }
}
