package org.ustore.ceph.abi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The dynamic symbols and relocations of a 64-bit little-endian x86-64 ELF file, as far as reading vtables needs them.
 * Layouts and numbers are those of the System V ABI and its x86-64 supplement.
 */
final class ElfFile {
    private static final int MAGIC = 0x464c457f;
    private static final int CLASS_64_LITTLE_ENDIAN = 0x0102;
    private static final int MACHINE_X86_64 = 62;

    private static final int SECTION_RELA = 4;
    private static final int SECTION_DYNSYM = 11;
    private static final int SYMBOL_BYTES = 24;
    private static final int RELA_BYTES = 24;

    private static final int R_64 = 1;
    private static final int R_RELATIVE = 8;

    /** Two words precede the first slot: offset to top and type info. */
    private static final int VTABLE_HEADER_BYTES = 16;

    private static final int SLOT_BYTES = 8;

    private record Section(int type, long offset, long size, int link) {}

    private record Symbol(String name, long address, long size, boolean defined) {}

    private final Path path;
    private final ByteBuffer bytes;
    private final List<Symbol> symbols = new ArrayList<>();
    private final Map<String, Symbol> byName = new HashMap<>();
    private final Map<Long, List<String>> namesAt = new HashMap<>();
    /** What the dynamic linker writes at an address: the names that thing goes by. */
    private final Map<Long, List<String>> pointers = new HashMap<>();

    private ElfFile(Path path, ByteBuffer bytes) {
        this.path = path;
        this.bytes = bytes;
    }

    static ElfFile read(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            ElfFile file = new ElfFile(path, bytes.order(ByteOrder.LITTLE_ENDIAN));
            file.parse();
            return file;
        }
    }

    /**
     * The slots of a vtable, each as the mangled names of its target: several where functions share an address, none
     * where the target is not exported.
     *
     * @throws IllegalArgumentException if the file defines no such symbol
     */
    List<List<String>> vtable(String symbol) {
        Symbol table = byName.get(symbol);
        if (table == null) {
            throw new IllegalArgumentException(path + " defines no " + symbol);
        }
        List<List<String>> slots = new ArrayList<>();
        for (long at = VTABLE_HEADER_BYTES; at < table.size; at += SLOT_BYTES) {
            slots.add(pointers.getOrDefault(table.address + at, List.of()));
        }
        return slots;
    }

    private void parse() {
        if (bytes.getInt(0) != MAGIC
                || bytes.getShort(4) != CLASS_64_LITTLE_ENDIAN
                || bytes.getShort(18) != MACHINE_X86_64) {
            throw new IllegalArgumentException(path + " is no 64-bit little-endian x86-64 ELF file");
        }
        List<Section> sections = sections();
        for (Section section : sections) {
            if (section.type == SECTION_DYNSYM) {
                readSymbols(section, sections.get(section.link));
            }
        }
        for (Section section : sections) {
            if (section.type == SECTION_RELA && sections.get(section.link).type == SECTION_DYNSYM) {
                readRelocations(section);
            }
        }
    }

    private List<Section> sections() {
        int start = Math.toIntExact(bytes.getLong(40));
        int entryBytes = bytes.getShort(58);
        int count = bytes.getShort(60);
        List<Section> sections = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int at = start + i * entryBytes;
            sections.add(new Section(
                    bytes.getInt(at + 4), bytes.getLong(at + 24), bytes.getLong(at + 32), bytes.getInt(at + 40)));
        }
        return sections;
    }

    private void readSymbols(Section table, Section strings) {
        for (long at = table.offset; at < table.offset + table.size; at += SYMBOL_BYTES) {
            int i = Math.toIntExact(at);
            String name = string(strings.offset + Integer.toUnsignedLong(bytes.getInt(i)));
            Symbol symbol = new Symbol(name, bytes.getLong(i + 8), bytes.getLong(i + 16), bytes.getShort(i + 6) != 0);
            symbols.add(symbol);
            if (symbol.defined) {
                byName.put(name, symbol);
                namesAt.computeIfAbsent(symbol.address, _ -> new ArrayList<>()).add(name);
            }
        }
    }

    private void readRelocations(Section table) {
        for (long at = table.offset; at < table.offset + table.size; at += RELA_BYTES) {
            int i = Math.toIntExact(at);
            long where = bytes.getLong(i);
            long info = bytes.getLong(i + 8);
            long addend = bytes.getLong(i + 16);
            switch ((int) info) {
                case R_RELATIVE -> pointers.put(where, namesAt.getOrDefault(addend, List.of()));
                case R_64 -> {
                    Symbol symbol = symbols.get((int) (info >>> 32));
                    pointers.put(where, addend == 0 ? List.of(symbol.name) : List.of());
                }
                default -> {
                    // Others do not occur in vtables.
                }
            }
        }
    }

    private String string(long offset) {
        int start = Math.toIntExact(offset);
        int end = start;
        while (bytes.get(end) != 0) {
            end++;
        }
        byte[] text = new byte[end - start];
        bytes.get(start, text);
        return new String(text, StandardCharsets.US_ASCII);
    }
}
