/* tool_disasm_elf: the code in an ELF file, by its section headers and symbols: relocatable objects have nothing else. */
#include "tool/tool_disasm_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    ELF_MACHINE_AMDGPU = 224,
    FLAG_MACH_MASK = 0xff,
    DESCRIPTOR_PROPERTIES = 56,  /* of a kernel descriptor: where its properties stand, */
    DESCRIPTOR_WAVE32 = 1 << 10, /* and the one that says that its waves have 32 lanes */
};

/* A file that is being read: its bytes, its headers, the symbols and their names. */
struct reader {
    struct base_bytes file, symbols, names;
    Elf64_Ehdr header;
    struct tool_code *code;
    struct base_error *error;
};

bool tool_disasm_is_elf(struct base_bytes file)
{
    return file.size >= SELFMAG && memcmp(file.data, ELFMAG, SELFMAG) == 0;
}

static const char *chip_of_flags(uint32_t flags)
{
    static const struct {
        uint32_t mach;
        const char *chip;
    } machs[] = {{0x33, "gfx1010"}, {0x42, "gfx1013"}, {0x36, "gfx1030"}, {0x39, "gfx1033"}};
    for (size_t n = 0; n < sizeof machs / sizeof machs[0]; n++)
        if (machs[n].mach == (flags & FLAG_MACH_MASK))
            return machs[n].chip;
    return NULL;
}

static bool read_header(struct reader *reader)
{
    Elf64_Ehdr *header = &reader->header;
    if (!base_bytes_copy(reader->file, 0, header, sizeof *header))
        return base_error_set(reader->error, "ELF header: the file ends in it");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return base_error_set(reader->error, "ELF header: not a 64-bit little-endian file");
    if (header->e_machine != ELF_MACHINE_AMDGPU)
        return base_error_set(reader->error, "ELF header: machine %u is not AMDGPU (%u)", header->e_machine, ELF_MACHINE_AMDGPU);
    if (header->e_shnum && header->e_shentsize < sizeof(Elf64_Shdr))
        return base_error_set(reader->error, "ELF header: section headers of %u bytes are too small", header->e_shentsize);
    reader->code->chip = chip_of_flags(header->e_flags);
    return true;
}

static bool read_section(const struct reader *reader, unsigned index, Elf64_Shdr *section)
{
    uint64_t offset;
    return index < reader->header.e_shnum &&
           !__builtin_add_overflow(reader->header.e_shoff, (uint64_t)index * reader->header.e_shentsize, &offset) &&
           base_bytes_copy(reader->file, offset, section, sizeof *section);
}

static bool read_contents(const struct reader *reader, const Elf64_Shdr *section, struct base_bytes *contents)
{
    return section->sh_type != SHT_NOBITS && base_bytes_slice(reader->file, section->sh_offset, section->sh_size, contents);
}

/* A file without symbols is fine. */
static bool read_symbol_table(struct reader *reader)
{
    Elf64_Shdr table, names;
    for (unsigned n = 0; n < reader->header.e_shnum; n++) {
        if (!read_section(reader, n, &table))
            return base_error_set(reader->error, "section header %u: outside the file", n);
        if (table.sh_type != SHT_SYMTAB)
            continue;
        if (!read_contents(reader, &table, &reader->symbols) || !read_section(reader, table.sh_link, &names) ||
            !read_contents(reader, &names, &reader->names))
            return base_error_set(reader->error, "section %u: its symbols or their names are outside the file", n);
    }
    return true;
}

static bool read_symbol(const struct reader *reader, size_t index, Elf64_Sym *symbol)
{
    return base_bytes_copy(reader->symbols, index * sizeof *symbol, symbol, sizeof *symbol);
}

/* Symbols of linked files hold addresses, those of relocatable ones offsets in their section. */
static uint64_t symbol_offset(const struct reader *reader, const Elf64_Shdr *section, const Elf64_Sym *symbol)
{
    return reader->header.e_type == ET_REL ? symbol->st_value : symbol->st_value - section->sh_addr;
}

static unsigned wave_size_of_descriptor(const struct reader *reader, const Elf64_Sym *symbol)
{
    Elf64_Shdr section;
    struct base_bytes contents;
    uint16_t properties;
    if (!read_section(reader, symbol->st_shndx, &section) || !read_contents(reader, &section, &contents) ||
        !base_bytes_u16(contents, symbol_offset(reader, &section, symbol) + DESCRIPTOR_PROPERTIES, &properties))
        return 0;
    return properties & DESCRIPTOR_WAVE32 ? 32 : 64;
}

/* NAME.kd is the descriptor of the kernel NAME. */
static unsigned wave_size_of_kernel(const struct reader *reader, const char *kernel)
{
    Elf64_Sym symbol;
    size_t length = strlen(kernel);
    for (size_t n = 0; read_symbol(reader, n, &symbol); n++) {
        const char *name = base_bytes_text(reader->names, symbol.st_name);
        if (name && strncmp(name, kernel, length) == 0 && strcmp(name + length, ".kd") == 0)
            return wave_size_of_descriptor(reader, &symbol);
    }
    return 0;
}

static bool add_piece(struct reader *reader, struct tool_piece piece)
{
    struct tool_code *code = reader->code;
    struct tool_piece *larger = realloc(code->pieces, (code->count + 1) * sizeof *larger);
    if (!larger)
        return base_error_set(reader->error, "out of memory");
    code->pieces = larger;
    code->pieces[code->count++] = piece;
    return true;
}

static bool add_function(struct reader *reader, const Elf64_Shdr *section, struct base_bytes contents, const Elf64_Sym *symbol)
{
    struct tool_piece piece = {.name = base_bytes_text(reader->names, symbol->st_name)};
    uint64_t offset = symbol_offset(reader, section, symbol);
    if (!piece.name || !base_bytes_slice(contents, offset, symbol->st_size, &piece.bytes))
        return base_error_set(reader->error, "symbol %s: outside its section", piece.name ? piece.name : "without a name");
    piece.address = section->sh_addr + offset;
    piece.wave_size = wave_size_of_kernel(reader, piece.name);
    return add_piece(reader, piece);
}

static bool add_code_section(struct reader *reader, unsigned index, const Elf64_Shdr *section)
{
    Elf64_Sym symbol;
    struct base_bytes contents;
    size_t before = reader->code->count;
    if (!read_contents(reader, section, &contents))
        return base_error_set(reader->error, "section %u: outside the file", index);
    for (size_t n = 0; read_symbol(reader, n, &symbol); n++) {
        bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx == index && symbol.st_size;
        if (is_function && !add_function(reader, section, contents, &symbol))
            return false;
    }
    if (reader->code->count > before || !contents.size)
        return true;
    return add_piece(reader, (struct tool_piece){.bytes = contents, .address = section->sh_addr});
}

static int by_address(const void *left, const void *right)
{
    const struct tool_piece *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

bool tool_disasm_read_elf(struct base_bytes file, struct tool_code *code, struct base_error *error)
{
    struct reader reader = {.file = file, .code = code, .error = error};
    Elf64_Shdr section;
    *code = (struct tool_code){0};
    if (!read_header(&reader) || !read_symbol_table(&reader))
        return false;
    for (unsigned n = 0; n < reader.header.e_shnum; n++) {
        bool is_code = read_section(&reader, n, &section) && section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_EXECINSTR;
        if (is_code && !add_code_section(&reader, n, &section))
            return false;
    }
    if (!code->count)
        return base_error_set(error, "there is no code in the file");
    qsort(code->pieces, code->count, sizeof *code->pieces, by_address);
    return true;
}

void tool_disasm_code_finish(struct tool_code *code)
{
    free(code->pieces);
    *code = (struct tool_code){0};
}
