/* obj_elf: the ELF header, the segments and the metadata note of a code object, all checked. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "object/obj_internal.h"

enum {
    ELF_OSABI_HSA = 64,
    ELF_MACHINE_AMDGPU = 224,
    ELF_NOTE_METADATA = 32,
    ELF_ABI_VERSION_4 = 2, /* EI_ABIVERSION of code-object version 4; version 5 follows it */
    ELF_ABI_VERSION_5 = 3,
    NOTE_ALIGN = 4,
};

static const uint32_t FLAG_MACH_MASK = 0xff;
static const uint32_t FLAG_XNACK_MASK = 0x300, FLAG_XNACK_ON = 0x300;
static const uint64_t MAX_IMAGE = UINT64_C(1) << 30;

/* The processors of the gfx10 family: e_flags' EF_AMDGPU_MACH numbers. */
static const struct {
    uint32_t mach;
    const char *chip;
} machs[] = {
    {0x33, "gfx1010"}, {0x34, "gfx1011"}, {0x35, "gfx1012"}, {0x42, "gfx1013"}, {0x36, "gfx1030"}, {0x37, "gfx1031"},
    {0x38, "gfx1032"}, {0x39, "gfx1033"}, {0x3e, "gfx1034"}, {0x3d, "gfx1035"}, {0x45, "gfx1036"},
};

static bool read_chip(struct obj_whole *whole, uint32_t flags, struct base_error *error)
{
    for (size_t n = 0; n < sizeof machs / sizeof machs[0]; n++)
        if (machs[n].mach == (flags & FLAG_MACH_MASK))
            whole->object.chip = machs[n].chip;
    if (!whole->object.chip)
        return base_error_set(error, "ELF header: machine 0x%02" PRIx32 " in e_flags is no gfx10 processor",
                              flags & FLAG_MACH_MASK);
    if ((flags & FLAG_XNACK_MASK) == FLAG_XNACK_ON)
        return base_error_set(error, "ELF header: built for XNACK on, which gfx10 does not have");
    return true;
}

static bool check_ident(const Elf64_Ehdr *header, struct base_error *error)
{
    const unsigned char *ident = header->e_ident;
    if (memcmp(ident, ELFMAG, SELFMAG) != 0)
        return base_error_set(error, "not an ELF file: it starts with %02x %02x %02x %02x", ident[0], ident[1], ident[2],
                              ident[3]);
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
        return base_error_set(error, "ELF header: not a 64-bit little-endian file");
    if (header->e_machine != ELF_MACHINE_AMDGPU)
        return base_error_set(error, "ELF header: machine %u is not AMDGPU (%u)", header->e_machine, ELF_MACHINE_AMDGPU);
    if (ident[EI_OSABI] != ELF_OSABI_HSA)
        return base_error_set(error, "ELF header: OS ABI %u is not HSA (%u); compile for amdgcn-amd-amdhsa", ident[EI_OSABI],
                              ELF_OSABI_HSA);
    if (ident[EI_ABIVERSION] != ELF_ABI_VERSION_4 && ident[EI_ABIVERSION] != ELF_ABI_VERSION_5)
        return base_error_set(error, "ELF header: ABI version %u is neither code-object version 4 (%u) nor 5 (%u)",
                              ident[EI_ABIVERSION], ELF_ABI_VERSION_4, ELF_ABI_VERSION_5);
    if (header->e_type == ET_REL)
        return base_error_set(error, "ELF header: a relocatable file; link it first (ld.lld -shared)");
    if (header->e_type != ET_DYN)
        return base_error_set(error, "ELF header: type %u is no shared object", header->e_type);
    return true;
}

/* Checks one PT_LOAD and appends it. */
static bool add_segment(struct obj_whole *whole, const Elf64_Phdr *program, unsigned index, struct obj_segment *segments,
                        struct base_error *error)
{
    uint64_t end = whole->object.image_size;
    if (program->p_filesz > program->p_memsz)
        return base_error_set(error, "program header %u: file size 0x%" PRIx64 " is over memory size 0x%" PRIx64, index,
                              program->p_filesz, program->p_memsz);
    if (!base_range_fits(program->p_offset, program->p_filesz, whole->file.size))
        return base_error_set(error, "program header %u: bytes 0x%" PRIx64 "+0x%" PRIx64 " are outside the file of 0x%zx bytes",
                              index, program->p_offset, program->p_filesz, whole->file.size);
    if (!base_range_fits(program->p_vaddr, program->p_memsz, MAX_IMAGE))
        return base_error_set(error, "program header %u: memory 0x%" PRIx64 "+0x%" PRIx64 " is over the limit of 0x%" PRIx64,
                              index, program->p_vaddr, program->p_memsz, MAX_IMAGE);
    if (program->p_vaddr < end)
        return base_error_set(error, "program header %u: memory at 0x%" PRIx64 " overlaps the segment before it", index,
                              program->p_vaddr);
    segments[whole->object.segment_count++] = (struct obj_segment){
        .address = program->p_vaddr,
        .size = program->p_memsz,
        .file_offset = program->p_offset,
        .file_size = program->p_filesz,
        .writable = program->p_flags & PF_W,
        .executable = program->p_flags & PF_X,
    };
    whole->object.image_size = program->p_vaddr + program->p_memsz;
    return true;
}

/* Walks the notes of one PT_NOTE for the metadata. */
static bool read_notes(struct obj_whole *whole, struct base_bytes notes, struct base_error *error)
{
    uint64_t at = 0;
    while (at < notes.size) {
        Elf64_Nhdr note;
        struct base_bytes name, text;
        if (!base_bytes_copy(notes, at, &note, sizeof note))
            return base_error_set(error, "note segment: note at 0x%" PRIx64 " is cut short", at);
        uint64_t name_at = at + sizeof note;
        uint64_t text_at = name_at + base_align_up(note.n_namesz, NOTE_ALIGN);
        if (!base_bytes_slice(notes, name_at, note.n_namesz, &name) || !base_bytes_slice(notes, text_at, note.n_descsz, &text))
            return base_error_set(error, "note segment: note at 0x%" PRIx64 " reaches past its end", at);
        if (note.n_type == ELF_NOTE_METADATA && name.size == sizeof "AMDGPU" && !memcmp(name.data, "AMDGPU", name.size))
            whole->metadata = text;
        at = text_at + base_align_up(note.n_descsz, NOTE_ALIGN);
    }
    return true;
}

static bool read_program(struct obj_whole *whole, const Elf64_Phdr *program, unsigned index, struct obj_segment *segments,
                         struct base_error *error)
{
    struct base_bytes notes;
    switch (program->p_type) {
    case PT_LOAD: return !program->p_memsz || add_segment(whole, program, index, segments, error);
    case PT_NOTE:
        if (!base_bytes_slice(whole->file, program->p_offset, program->p_filesz, &notes))
            return base_error_set(error, "program header %u: notes at 0x%" PRIx64 " are outside the file", index,
                                  program->p_offset);
        return read_notes(whole, notes, error);
    default: return true;
    }
}

static bool read_programs(struct obj_whole *whole, const Elf64_Ehdr *header, struct base_error *error)
{
    Elf64_Phdr program, dynamic = {0};
    struct base_bytes table;
    if (header->e_phentsize != sizeof program)
        return base_error_set(error, "ELF header: program headers of %u bytes", header->e_phentsize);
    if (!base_bytes_slice(whole->file, header->e_phoff, (uint64_t)header->e_phnum * sizeof program, &table))
        return base_error_set(error, "ELF header: %u program headers at 0x%" PRIx64 " are outside the file", header->e_phnum,
                              header->e_phoff);
    struct obj_segment *segments = base_arena_alloc(&whole->arena, header->e_phnum * sizeof *segments);
    if (!segments)
        return base_error_set(error, "out of memory");
    whole->object.segments = segments;
    for (unsigned n = 0; n < header->e_phnum; n++) {
        if (!base_bytes_copy(table, n * sizeof program, &program, sizeof program) ||
            !read_program(whole, &program, n, segments, error))
            return false;
        if (program.p_type == PT_DYNAMIC)
            dynamic = program;
    }
    if (!whole->object.segment_count)
        return base_error_set(error, "program headers: no segment to load");
    return obj_dynamic_read(whole, dynamic.p_vaddr, dynamic.p_filesz, error);
}

/* Nothing is read from the sections. A file without all of their headers, which stand last as a rule, is not all there. */
static bool check_sections(const struct obj_whole *whole, const Elf64_Ehdr *header, struct base_error *error)
{
    uint64_t count = header->e_shnum ? header->e_shnum : 1; /* 0: too many for the field, the first header says how many */
    if (!header->e_shoff)
        return true;
    if (header->e_shentsize != sizeof(Elf64_Shdr))
        return base_error_set(error, "ELF header: section headers of %u bytes", header->e_shentsize);
    return base_range_fits(header->e_shoff, count * sizeof(Elf64_Shdr), whole->file.size) ||
           base_error_set(error,
                          "ELF header: %" PRIu64 " section headers at 0x%" PRIx64
                          " are outside the file of 0x%zx bytes, which seems to be cut short",
                          count, header->e_shoff, whole->file.size);
}

bool obj_elf_read(struct obj_whole *whole, struct base_error *error)
{
    Elf64_Ehdr header;
    if (!base_bytes_copy(whole->file, 0, &header, sizeof header))
        return base_error_set(error, "not an ELF file: %zu bytes are too few for its header", whole->file.size);
    if (!check_ident(&header, error) || !read_chip(whole, header.e_flags, error) || !check_sections(whole, &header, error))
        return false;
    whole->object.version = header.e_ident[EI_ABIVERSION] == ELF_ABI_VERSION_4 ? 4 : 5;
    whole->object.image_align = 4096;
    return read_programs(whole, &header, error);
}

const struct obj_segment *obj_elf_segment_at(const struct obj_whole *whole, uint64_t address, uint64_t size)
{
    for (size_t n = 0; n < whole->object.segment_count; n++) {
        const struct obj_segment *segment = &whole->object.segments[n];
        if (address >= segment->address && base_range_fits(address - segment->address, size, segment->size))
            return segment;
    }
    return NULL;
}

bool obj_elf_bytes_at(const struct obj_whole *whole, uint64_t address, uint64_t size, struct base_bytes *bytes)
{
    const struct obj_segment *segment = obj_elf_segment_at(whole, address, size);
    return segment && base_range_fits(address - segment->address, size, segment->file_size) &&
           base_bytes_slice(whole->file, segment->file_offset + (address - segment->address), size, bytes);
}
