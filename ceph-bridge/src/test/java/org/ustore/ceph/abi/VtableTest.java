package org.ustore.ceph.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every virtual method the release profile declares is, in the installed programs, in the same slot, with the same
 * parameters. The compiler says in which slot the profile's methods are, the program's file what its slots point to.
 */
@Tag("native")
final class VtableTest {
    private record Method(String name, String parameters) {}

    private static final int DESTRUCTOR_SLOTS = 2;

    /** Profile class, then slot, then method. */
    private static final Map<String, TreeMap<Integer, Method>> EXPECTED = new HashMap<>();

    private static final Map<Path, ElfFile> FILES = new HashMap<>();

    @BeforeAll
    static void readBothSides() throws IOException, InterruptedException {
        InstalledCeph.assumeInstalled();
        for (String line : InstalledCeph.slots(List.of(), "")) {
            String[] columns = line.split("\t", -1);
            Method previous = EXPECTED.computeIfAbsent(columns[0], _ -> new TreeMap<>())
                    .put(Integer.parseInt(columns[1]), new Method(columns[2], columns[3]));
            assertThat(previous).as("two methods in one slot: %s", line).isNull();
        }
        for (Path path : List.of(InstalledCeph.OSD, InstalledCeph.TOOL, InstalledCeph.COMMON)) {
            FILES.put(path, ElfFile.read(path));
        }
    }

    static List<Arguments> vtables() {
        List<Arguments> all = new ArrayList<>();
        for (Path program : List.of(InstalledCeph.OSD, InstalledCeph.TOOL)) {
            all.add(Arguments.of(program, "ObjectStore", "_ZTV8MemStore", true));
            all.add(Arguments.of(program, "ObjectStore", "_ZTV9BlueStore", false));
            all.add(Arguments.of(program, "CollectionImpl", "_ZTVN8MemStore10CollectionE", true));
            all.add(Arguments.of(program, "CollectionImpl", "_ZTVN9BlueStore10CollectionE", true));
            all.add(Arguments.of(program, "OmapIteratorImpl", "_ZTVN8MemStore16OmapIteratorImplE", true));
            all.add(Arguments.of(program, "OmapIteratorImpl", "_ZTVN9BlueStore16OmapIteratorImplE", true));
            all.add(Arguments.of(program, "Context", "_ZTV11C_SaferCond", true));
        }
        // The tool takes these from the library.
        for (Path file : List.of(InstalledCeph.OSD, InstalledCeph.COMMON)) {
            all.add(Arguments.of(file, "Formatter", "_ZTVN4ceph13JSONFormatterE", false));
            all.add(Arguments.of(file, "LogEntry", "_ZTVN4ceph7logging12MutableEntryE", true));
        }
        return all;
    }

    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("vtables")
    void everySlotHoldsTheMethodTheProfileDeclares(Path file, String type, String vtable, boolean complete)
            throws IOException, InterruptedException {
        TreeMap<Integer, Method> expected = EXPECTED.getOrDefault(type, new TreeMap<>());
        assertThat(expected).as("methods of %s in the profile", type).isNotEmpty();
        List<List<Method>> found = demangledSlots(file, vtable);
        int count = expected.size() + DESTRUCTOR_SLOTS;
        assertThat(expected.lastKey()).as("last slot of %s", type).isLessThan(count);
        if (complete) {
            assertThat(found).as("slots of %s in %s", vtable, file).hasSize(count);
        } else {
            assertThat(found).as("slots of %s in %s", vtable, file).hasSizeGreaterThan(count);
        }
        for (int slot = 0; slot < count; slot++) {
            String where = "slot " + slot + " of " + vtable + " in " + file;
            Method method = expected.get(slot);
            if (method != null) {
                assertThat(found.get(slot)).as(where).contains(method);
            } else {
                assertThat(found.get(slot))
                        .as(where)
                        .isNotEmpty()
                        .allMatch(m -> m.name().startsWith("~"));
            }
        }
    }

    private static List<List<Method>> demangledSlots(Path file, String vtable)
            throws IOException, InterruptedException {
        List<List<String>> slots = Objects.requireNonNull(FILES.get(file)).vtable(vtable);
        List<String> symbols = slots.stream().flatMap(List::stream).toList();
        List<String> demangled = InstalledCeph.slots(List.of("--demangle"), String.join("\n", symbols) + "\n");
        assertThat(demangled).hasSameSizeAs(symbols);
        List<List<Method>> methods = new ArrayList<>();
        int next = 0;
        for (List<String> slot : slots) {
            List<Method> names = new ArrayList<>();
            for (int i = 0; i < slot.size(); i++) {
                names.add(parse(demangled.get(next++)));
            }
            methods.add(names);
        }
        return methods;
    }

    /** {@code A::B::name[abi:cxx11](parameters) const} without its class. */
    private static Method parse(String demangled) {
        String text = demangled.replace("[abi:cxx11]", "");
        int open = text.indexOf('(');
        if (open < 0) {
            return new Method(text, "");
        }
        String name = text.substring(0, open);
        return new Method(name.substring(name.lastIndexOf(':') + 1), text.substring(open));
    }
}
