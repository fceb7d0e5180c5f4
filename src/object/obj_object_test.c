/* obj_object_test: the code-object reader against an object built here byte by byte from the ELF and AMDGPU specifications, and
 * against the same object broken in one place after the other. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base_bytes.h"
#include "object/object.h"

/* One file: headers, note and symbols at 0 (read-only), code at 0x1000, data at 0x2000; file offset = address. */
enum {
    FILE_BYTES = 0x2100,
    AT_NOTE = 0x200,
    AT_SYMBOLS = 0x600,
    AT_STRINGS = 0x700,
    AT_HASH = 0x780,
    AT_RELA = 0x7c0,
    AT_DYNAMIC = 0x900,
    AT_DESCRIPTOR = 0xa00,
    RODATA_END = 0xa40,
    AT_CODE = 0x1000,
    CODE_BYTES = 0x100,
    AT_DATA = 0x2000,
    DATA_BYTES = 0x40,
    DATA_MEMORY = 0x80, /* the rest is zeroed */
    PROGRAMS = 5,
    SYMBOLS = 4,
    RELOCATIONS = 4,
};

static const uint64_t load_address = UINT64_C(0x7f0000100000);

struct file {
    uint8_t bytes[FILE_BYTES];
    size_t note_bytes;
};

static const char strings[] = "\0copy.kd\0copy\0missing";
enum { NAME_KD = 1, NAME_COPY = 9, NAME_MISSING = 14 };

static void put_program(struct file *file, unsigned index, uint32_t type, uint32_t flags, uint64_t at, uint64_t bytes,
                        uint64_t memory)
{
    Elf64_Phdr program = {
        .p_type = type, .p_flags = flags, .p_offset = at, .p_vaddr = at, .p_paddr = at, .p_filesz = bytes, .p_memsz = memory};
    memcpy(file->bytes + sizeof(Elf64_Ehdr) + index * sizeof program, &program, sizeof program);
}

static void put_header(struct file *file)
{
    Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64 /* HSA */, 3 /* version 5 */},
        .e_type = ET_DYN,
        .e_machine = 224,
        .e_version = 1,
        .e_phoff = sizeof header,
        .e_flags = 0x36, /* gfx1030 */
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = PROGRAMS,
    };
    memcpy(file->bytes, &header, sizeof header);
}

static void put_symbol(struct file *file, unsigned index, uint32_t name, uint16_t section, uint64_t value)
{
    Elf64_Sym symbol = {
        .st_name = name, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = section, .st_value = value};
    memcpy(file->bytes + AT_SYMBOLS + index * sizeof symbol, &symbol, sizeof symbol);
}

static void put_rela(struct file *file, unsigned index, uint64_t offset, uint32_t symbol, uint32_t type, int64_t addend)
{
    Elf64_Rela rela = {.r_offset = offset, .r_info = ELF64_R_INFO((uint64_t)symbol, type), .r_addend = addend};
    memcpy(file->bytes + AT_RELA + index * sizeof rela, &rela, sizeof rela);
}

static void put_dynamic(struct file *file)
{
    const Elf64_Dyn entries[] = {
        {DT_SYMTAB, {AT_SYMBOLS}},
        {DT_STRTAB, {AT_STRINGS}},
        {DT_STRSZ, {sizeof strings}},
        {DT_HASH, {AT_HASH}},
        {DT_RELA, {AT_RELA}},
        {DT_RELASZ, {RELOCATIONS * sizeof(Elf64_Rela)}},
        {DT_NULL, {0}},
    };
    memcpy(file->bytes + AT_DYNAMIC, entries, sizeof entries);
    memcpy(file->bytes + AT_STRINGS, strings, sizeof strings);
    base_put_u32(file->bytes + AT_HASH, 1);           /* nbucket */
    base_put_u32(file->bytes + AT_HASH + 4, SYMBOLS); /* nchain */
}

/* The 64 bytes of the descriptor, by AMDGPU's table of its fields. */
static void put_descriptor(struct file *file)
{
    uint8_t *at = file->bytes + AT_DESCRIPTOR;
    base_put_u32(at + 0, 512);                           /* GROUP_SEGMENT_FIXED_SIZE */
    base_put_u32(at + 4, 96);                            /* PRIVATE_SEGMENT_FIXED_SIZE */
    base_put_u32(at + 8, 24);                            /* KERNARG_SIZE */
    base_put_u64(at + 16, AT_CODE + 16 - AT_DESCRIPTOR); /* KERNEL_CODE_ENTRY_BYTE_OFFSET */
    base_put_u32(at + 44, 2);                            /* COMPUTE_PGM_RSRC3 */
    base_put_u32(at + 48, 0x60af0001);                   /* COMPUTE_PGM_RSRC1 */
    base_put_u32(at + 52, 6 << 1 | 1);                   /* COMPUTE_PGM_RSRC2: six user SGPRs, scratch */
    base_put_u16(at + 56, 1 << 10 | 1 << 3 | 1);         /* wave32, kernarg pointer, private segment buffer */
}

/* Appends a msgpack string of up to 255 bytes. */
static uint8_t *put_text(uint8_t *at, const char *text)
{
    size_t size = strlen(text);
    *at++ = 0xd9;
    *at++ = (uint8_t)size;
    memcpy(at, text, size);
    return at + size;
}

static uint8_t *put_pair_number(uint8_t *at, const char *key, uint8_t number)
{
    at = put_text(at, key);
    *at++ = number; /* a positive fixnum */
    return at;
}

static uint8_t *put_pair_text(uint8_t *at, const char *key, const char *text)
{
    return put_text(put_text(at, key), text);
}

static uint8_t *put_arg(uint8_t *at, const char *name, const char *kind, uint8_t offset, uint8_t size)
{
    *at++ = 0x84;
    at = put_pair_text(at, ".name", name);
    at = put_pair_text(at, ".value_kind", kind);
    at = put_pair_number(at, ".offset", offset);
    return put_pair_number(at, ".size", size);
}

/* {"amdhsa.version": [1, 2], "amdhsa.kernels": [{...}]} */
static void put_note(struct file *file)
{
    uint8_t *note = file->bytes + AT_NOTE, *start = note + 12 + 8, *at = start;
    *at++ = 0x82;
    at = put_text(at, "amdhsa.version");
    *at++ = 0x92;
    *at++ = 1;
    *at++ = 2;
    at = put_text(at, "amdhsa.kernels");
    *at++ = 0x91;
    *at++ = 0x87;
    at = put_pair_text(at, ".name", "copy");
    at = put_pair_text(at, ".symbol", "copy.kd");
    at = put_pair_number(at, ".kernarg_segment_size", 24);
    at = put_pair_number(at, ".wavefront_size", 32);
    at = put_text(at, ".reqd_workgroup_size");
    memcpy(at, (const uint8_t[]){0x93, 16, 4, 1}, 4);
    at = put_pair_number(at + 4, ".max_flat_workgroup_size", 64);
    at = put_text(at, ".args");
    *at++ = 0x93;
    at = put_arg(at, "from", "global_buffer", 0, 8);
    at = put_arg(at, "count", "by_value", 8, 4);
    at = put_arg(at, "", "hidden_block_count_x", 16, 4);
    base_put_u32(note, 7);
    base_put_u32(note + 4, (uint32_t)(at - start));
    base_put_u32(note + 8, 32);
    memcpy(note + 12, "AMDGPU", 7);
    file->note_bytes = (size_t)(at - note);
    assert_true(file->note_bytes < AT_SYMBOLS - AT_NOTE);
}

static void build(struct file *file)
{
    memset(file, 0, sizeof *file);
    put_header(file);
    put_note(file);
    put_program(file, 0, PT_LOAD, PF_R, 0, RODATA_END, RODATA_END);
    put_program(file, 1, PT_LOAD, PF_R | PF_X, AT_CODE, CODE_BYTES, CODE_BYTES);
    put_program(file, 2, PT_LOAD, PF_R | PF_W, AT_DATA, DATA_BYTES, DATA_MEMORY);
    put_program(file, 3, PT_DYNAMIC, PF_R, AT_DYNAMIC, 0x70, 0x70);
    put_program(file, 4, PT_NOTE, PF_R, AT_NOTE, base_align_up(file->note_bytes, 4), base_align_up(file->note_bytes, 4));
    put_symbol(file, 1, NAME_KD, 1, AT_DESCRIPTOR);
    put_symbol(file, 2, NAME_COPY, 2, AT_CODE);
    put_symbol(file, 3, NAME_MISSING, SHN_UNDEF, 0);
    put_dynamic(file);
    put_descriptor(file);
    put_rela(file, 0, AT_DATA, 0, 13, 0x1010); /* RELATIVE64 */
    put_rela(file, 1, AT_DATA + 8, 2, 3, 4);   /* ABS64 copy + 4 */
    put_rela(file, 2, AT_DATA + 16, 2, 10, 8); /* REL32_LO copy + 8 */
    put_rela(file, 3, AT_DATA + 20, 2, 2, 0);  /* ABS32_HI copy */
    memset(file->bytes + AT_CODE, 0xc0, CODE_BYTES);
    memset(file->bytes + AT_DATA + 24, 0xd0, DATA_BYTES - 24);
}

static struct obj_object *open_good(const struct file *file)
{
    struct base_error error = {0};
    struct obj_object *object;
    if (!obj_open(file->bytes, FILE_BYTES, &object, &error))
        fail_msg("%s", error.text);
    return object;
}

/* The object is refused, and the reason names what it should. */
static void expect_refused(const struct file *file, size_t size, const char *reason)
{
    struct base_error error = {0};
    struct obj_object *object;
    assert_false(obj_open(file->bytes, size, &object, &error));
    assert_null(object);
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not say '%s'", error.text, reason);
}

static void a_kernel_is_what_metadata_and_descriptor_say(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    struct obj_object *object = open_good(&file);
    assert_string_equal(object->chip, "gfx1030");
    assert_int_equal(object->version, 5);
    assert_int_equal(object->kernel_count, 1);
    const struct obj_kernel *kernel = obj_kernel_find(object, "copy");
    assert_non_null(kernel);
    assert_null(obj_kernel_find(object, "cop"));
    assert_int_equal(kernel->address, AT_DESCRIPTOR);
    assert_int_equal(kernel->entry, AT_CODE + 16);
    assert_int_equal(kernel->wave_size, 32);
    assert_int_equal(kernel->group_segment_bytes, 512);
    assert_int_equal(kernel->private_segment_bytes, 96);
    assert_int_equal(kernel->kernarg_bytes, 24);
    assert_int_equal(kernel->max_workgroup, 64);
    assert_int_equal(kernel->required_workgroup[0], 16);
    assert_int_equal(kernel->required_workgroup[1], 4);
    assert_int_equal(kernel->descriptor.rsrc1, 0x60af0001);
    assert_int_equal(base_field_get(kernel->descriptor.rsrc2, OBJ_RSRC2_USER_SGPR), 6);
    assert_int_equal(kernel->descriptor.rsrc3, 2);
    assert_int_equal(kernel->descriptor.properties,
                     OBJ_WAVEFRONT_SIZE32 | OBJ_USER_KERNARG_PTR | OBJ_USER_PRIVATE_SEGMENT_BUFFER);
    obj_close(object);
}

static void arguments_keep_their_order_kinds_and_places(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    struct obj_object *object = open_good(&file);
    const struct obj_kernel *kernel = &object->kernels[0];
    assert_true(kernel->has_args);
    assert_int_equal(kernel->arg_count, 3);
    assert_string_equal(kernel->args[0].name, "from");
    assert_int_equal(kernel->args[0].kind, OBJ_KIND_GLOBAL_BUFFER);
    assert_int_equal(kernel->args[0].size, 8);
    assert_string_equal(kernel->args[1].name, "count");
    assert_int_equal(kernel->args[1].offset, 8);
    assert_int_equal(kernel->args[2].kind, OBJ_KIND_HIDDEN_BLOCK_COUNT_X);
    assert_true(obj_kind_is_hidden(kernel->args[2].kind));
    assert_false(obj_kind_is_hidden(kernel->args[1].kind));
    obj_close(object);
}

static void segments_are_laid_out_zeroed_and_relocated(void **state)
{
    struct file file;
    struct base_error error = {0};
    (void)state;
    build(&file);
    struct obj_object *object = open_good(&file);
    assert_int_equal(object->segment_count, 3);
    assert_int_equal(object->image_size, AT_DATA + DATA_MEMORY);
    assert_true(object->segments[1].executable);
    assert_false(object->segments[1].writable);
    assert_true(object->segments[2].writable);
    uint8_t *image = calloc(1, object->image_size);
    assert_true(obj_image_write(object, image, load_address, &error));
    struct base_bytes bytes = {image, object->image_size};
    uint64_t pair;
    uint32_t word;
    assert_int_equal(image[AT_CODE], 0xc0);
    assert_true(base_bytes_u64(bytes, AT_DATA, &pair) && pair == load_address + 0x1010);
    assert_true(base_bytes_u64(bytes, AT_DATA + 8, &pair) && pair == load_address + AT_CODE + 4);
    assert_true(base_bytes_u32(bytes, AT_DATA + 16, &word));
    assert_int_equal(word, (uint32_t)(AT_CODE + 8 - (AT_DATA + 16)));
    assert_true(base_bytes_u32(bytes, AT_DATA + 20, &word));
    assert_int_equal(word, load_address >> 32);
    assert_int_equal(image[AT_DATA + DATA_BYTES - 1], 0xd0);
    assert_int_equal(image[AT_DATA + DATA_BYTES], 0);
    free(image);
    obj_close(object);
}

static void without_metadata_kernels_come_from_their_symbols(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    put_program(&file, 4, PT_NULL, 0, 0, 0, 0);
    struct obj_object *object = open_good(&file);
    assert_int_equal(object->kernel_count, 1);
    assert_string_equal(object->kernels[0].name, "copy");
    assert_false(object->kernels[0].has_args);
    assert_int_equal(object->kernels[0].kernarg_bytes, 24);
    obj_close(object);
}

/* A byte or word of the header changed, and what the message must say. */
static void headers_of_other_files_are_refused_with_the_reason(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *reason;
    } changes[] = {
        {0, 'x', "not an ELF file"},
        {EI_CLASS, ELFCLASS32, "not a 64-bit"},
        {EI_DATA, ELFDATA2MSB, "little-endian"},
        {EI_OSABI, 0, "OS ABI"},
        {EI_ABIVERSION, 1, "ABI version 1"},
        {offsetof(Elf64_Ehdr, e_machine), 62, "machine 62"},
        {offsetof(Elf64_Ehdr, e_type), ET_REL, "relocatable"},
        {offsetof(Elf64_Ehdr, e_type), ET_EXEC, "no shared object"},
        {offsetof(Elf64_Ehdr, e_flags), 0x2c, "no gfx10"},
        {offsetof(Elf64_Ehdr, e_flags) + 1, 0x03, "XNACK"},
        {offsetof(Elf64_Ehdr, e_phentsize), 55, "program headers of 55"},
        {offsetof(Elf64_Ehdr, e_phnum) + 1, 0xff, "outside the file"},
        {offsetof(Elf64_Ehdr, e_phoff) + 7, 0x80, "outside the file"},
    };
    (void)state;
    for (size_t n = 0; n < sizeof changes / sizeof changes[0]; n++) {
        struct file file;
        build(&file);
        file.bytes[changes[n].at] = changes[n].value;
        expect_refused(&file, FILE_BYTES, changes[n].reason);
    }
}

static void segments_outside_the_file_or_over_each_other_are_refused(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    put_program(&file, 1, PT_LOAD, PF_X, UINT64_MAX - 8, 64, 64);
    expect_refused(&file, FILE_BYTES, "outside the file");
    build(&file);
    put_program(&file, 2, PT_LOAD, PF_W, AT_CODE + 8, 8, 8);
    expect_refused(&file, FILE_BYTES, "overlaps");
    build(&file);
    put_program(&file, 2, PT_LOAD, PF_W, AT_DATA, 16, 8);
    expect_refused(&file, FILE_BYTES, "over memory size");
    build(&file);
    put_program(&file, 2, PT_LOAD, PF_W, AT_DATA, 0, UINT64_C(1) << 40);
    expect_refused(&file, FILE_BYTES, "over the limit");
    build(&file);
    put_program(&file, 3, PT_DYNAMIC, PF_R, AT_DYNAMIC, UINT64_MAX, 0x70);
    expect_refused(&file, FILE_BYTES, "dynamic section");
}

static void a_file_cut_anywhere_is_refused_and_says_why(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    for (size_t size = 0; size < AT_DATA + DATA_BYTES; size += 7)
        expect_refused(&file, size, "");
}

static void relocations_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        uint64_t offset;
        uint32_t symbol, type;
        int64_t addend;
        const char *reason;
    } rows[] = {
        {AT_DATA + DATA_MEMORY - 4, 2, 3, 0, "outside the segments"},
        {UINT64_MAX, 2, 3, 0, "outside the segments"},
        {AT_DATA, 99, 3, 0, "symbol 99"},
        {AT_DATA, 3, 3, 0, "'missing' is defined nowhere"},
        {AT_DATA, 2, 7, 0, "type 7"},
        {AT_DATA, 2, 200, 0, "type 200"},
        {AT_DATA, 2, 6, 0, "R_AMDGPU_ABS32 cannot hold"},
        {AT_DATA, 2, 4, INT64_C(1) << 33, "R_AMDGPU_REL32 cannot hold"},
    };
    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct file file;
        struct base_error error = {0};
        build(&file);
        put_rela(&file, 0, rows[n].offset, rows[n].symbol, rows[n].type, rows[n].addend);
        struct obj_object *object = open_good(&file);
        uint8_t *image = calloc(1, object->image_size);
        assert_false(obj_image_write(object, image, load_address, &error));
        if (!strstr(error.text, rows[n].reason))
            fail_msg("'%s' does not say '%s'", error.text, rows[n].reason);
        free(image);
        obj_close(object);
    }
}

static void kernels_that_contradict_themselves_are_refused(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    base_put_u64(file.bytes + AT_DESCRIPTOR + 16, UINT64_C(0x8000000000000000));
    expect_refused(&file, FILE_BYTES, "entry point");
    build(&file);
    base_put_u64(file.bytes + AT_DESCRIPTOR + 16, AT_DATA - AT_DESCRIPTOR); /* not executable */
    expect_refused(&file, FILE_BYTES, "entry point");
    build(&file);
    base_put_u16(file.bytes + AT_DESCRIPTOR + 56, 0); /* wave64 */
    expect_refused(&file, FILE_BYTES, "metadata says wave32");
    build(&file);
    base_put_u16(file.bytes + AT_DESCRIPTOR + 58, 1);
    expect_refused(&file, FILE_BYTES, "preloads");
    build(&file);
    put_symbol(&file, 1, NAME_KD, SHN_UNDEF, 0);
    expect_refused(&file, FILE_BYTES, "'copy.kd' is not defined");
    build(&file);
    put_symbol(&file, 1, NAME_KD, 1, RODATA_END - 63);
    expect_refused(&file, FILE_BYTES, "outside the segments");
    build(&file);
    put_symbol(&file, 2, UINT32_MAX, 2, AT_CODE);
    expect_refused(&file, FILE_BYTES, "outside the strings");
    build(&file);
    base_put_u32(file.bytes + AT_HASH + 4, UINT32_MAX);
    expect_refused(&file, FILE_BYTES, "symbols at");
}

/* Finds text in the note, so that a test can change what stands there. */
static uint8_t *in_note(struct file *file, const char *text)
{
    uint8_t *at = memmem(file->bytes + AT_NOTE, file->note_bytes, text, strlen(text));
    assert_non_null(at);
    return at;
}

static void metadata_of_the_wrong_shape_is_refused(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    memcpy(in_note(&file, "by_value"), "by_ether", 8);
    expect_refused(&file, FILE_BYTES, "'by_ether'");
    build(&file);
    in_note(&file, ".offset")[7] = 0x7f; /* the first argument's: 127 + 8 is past 24 */
    expect_refused(&file, FILE_BYTES, "argument 0");
    build(&file);
    in_note(&file, ".wavefront_size")[15] = 0xff; /* -1 */
    expect_refused(&file, FILE_BYTES, "unsigned number expected");
    build(&file);
    in_note(&file, ".reqd_workgroup_size")[20] = 0x92;
    expect_refused(&file, FILE_BYTES, "array of three");
    build(&file);
    base_put_u32(file.bytes + AT_NOTE + 4, UINT32_MAX);
    expect_refused(&file, FILE_BYTES, "note");
    build(&file);
    base_put_u32(file.bytes + AT_NOTE + 4, 100);
    put_program(&file, 4, PT_NOTE, PF_R, AT_NOTE, 120, 120);
    expect_refused(&file, FILE_BYTES, "metadata");
}

/* The second argument of the metadata, at 8: moved over the first and the third; the third is 8 bytes long. */
static void arguments_that_share_a_byte_are_refused(void **state)
{
    static const uint8_t places[] = {4, 7, 13};
    struct file file;
    (void)state;
    for (size_t n = 0; n < sizeof places; n++) {
        build(&file);
        uint8_t *second = in_note(&file, "count");
        uint8_t *offset = memmem(second, 60, ".offset", 7);
        assert_non_null(offset);
        offset[7] = places[n];
        expect_refused(&file, FILE_BYTES, "overlap at byte");
    }
}

static void arguments_past_what_the_metadata_says_are_refused_whatever_the_descriptor_says(void **state)
{
    struct file file;
    (void)state;
    build(&file);
    in_note(&file, ".kernarg_segment_size")[21] = 16;
    expect_refused(&file, FILE_BYTES, "argument 2 at 16+4 is outside its 16 bytes");
    build(&file);
    in_note(&file, ".kernarg_segment_size")[21] = 20;
    obj_close(open_good(&file));
}

static void metadata_of_another_version_than_its_objects_is_refused_by_its_number(void **state)
{
    static const struct {
        uint8_t abi, major, minor;
        const char *reason;
    } versions[] = {
        {3, 1, 1, "version 1.1; code-object version 5 has 1.2"},
        {3, 2, 2, "version 2.2"},
        {3, 1, 3, "version 1.3"},
        {3, 0, 2, "version 0.2"},
        {2, 1, 2, "version 1.2; code-object version 4 has 1.1"},
        {2, 1, 1, NULL},
    };
    struct file file;
    (void)state;
    for (size_t n = 0; n < sizeof versions / sizeof versions[0]; n++) {
        build(&file);
        uint8_t *version = in_note(&file, "amdhsa.version") + 15;
        file.bytes[EI_ABIVERSION] = versions[n].abi;
        version[0] = versions[n].major;
        version[1] = versions[n].minor;
        if (versions[n].reason)
            expect_refused(&file, FILE_BYTES, versions[n].reason);
        else
            obj_close(open_good(&file));
    }
    build(&file);
    in_note(&file, "amdhsa.version")[14] = 0x91;
    expect_refused(&file, FILE_BYTES, "version of two numbers");
}

/* Headers of sections are not needed, and a file that ends inside them is not whole. */
static void a_file_without_all_its_section_headers_is_refused(void **state)
{
    struct file file;
    Elf64_Ehdr header;
    (void)state;
    build(&file);
    memcpy(&header, file.bytes, sizeof header);
    header.e_shoff = FILE_BYTES - 2 * sizeof(Elf64_Shdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 2;
    memcpy(file.bytes, &header, sizeof header);
    obj_close(open_good(&file));
    expect_refused(&file, FILE_BYTES - 1, "section headers");
    header.e_shnum = 3;
    memcpy(file.bytes, &header, sizeof header);
    expect_refused(&file, FILE_BYTES, "3 section headers");
    header.e_shnum = 0;
    header.e_shoff = UINT64_MAX;
    memcpy(file.bytes, &header, sizeof header);
    expect_refused(&file, FILE_BYTES, "cut short");
    header.e_shentsize = 63;
    memcpy(file.bytes, &header, sizeof header);
    expect_refused(&file, FILE_BYTES, "section headers of 63");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_what_metadata_and_descriptor_say),
        cmocka_unit_test(arguments_keep_their_order_kinds_and_places),
        cmocka_unit_test(segments_are_laid_out_zeroed_and_relocated),
        cmocka_unit_test(without_metadata_kernels_come_from_their_symbols),
        cmocka_unit_test(headers_of_other_files_are_refused_with_the_reason),
        cmocka_unit_test(segments_outside_the_file_or_over_each_other_are_refused),
        cmocka_unit_test(a_file_cut_anywhere_is_refused_and_says_why),
        cmocka_unit_test(relocations_that_do_not_fit_are_refused),
        cmocka_unit_test(kernels_that_contradict_themselves_are_refused),
        cmocka_unit_test(metadata_of_the_wrong_shape_is_refused),
        cmocka_unit_test(arguments_that_share_a_byte_are_refused),
        cmocka_unit_test(arguments_past_what_the_metadata_says_are_refused_whatever_the_descriptor_says),
        cmocka_unit_test(metadata_of_another_version_than_its_objects_is_refused_by_its_number),
        cmocka_unit_test(a_file_without_all_its_section_headers_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
