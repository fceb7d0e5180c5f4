/* tool_disasm: `tenfold disasm`: prints the instructions of a code object, or of bare words, in LLVM's syntax. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "tool/tool.h"
#include "tool/tool_disasm_elf.h"
#include "tool/tool_options.h"

static const char help[] =
    "usage: tenfold disasm [--chip NAME] [--wave 32|64] [--hex] FILE | -\n"
    "\n"
    "Prints the instructions in FILE (-: standard input) in LLVM's assembler syntax, each with its offset and words. FILE is\n"
    "an ELF code object, or bare instruction words: little-endian binary, or with --hex as text.\n"
    "\n"
    "Options:\n"
    "  --chip NAME   gfx1010, gfx1013, gfx1030 or gfx1033; by default what the object says, or gfx1030\n"
    "  --wave SIZE   lanes of a wave, 32 or 64; by default what the kernel's descriptor says, or 32\n"
    "  --hex         the words are text: hexadecimal numbers with or without 0x, apart by space or commas; # begins a comment\n"
    "  --help        this text\n"
    "\n"
    "The exit status is 1 when something is no instruction, or cannot be read; its offset goes to standard error. 2: wrong "
    "usage.\n"
    "\n"
    "Examples:\n"
    "  tenfold disasm saxpy.co\n"
    "  echo 0x7e000280 0xbf810000 | tenfold disasm --chip gfx1030 --hex -\n";

struct options {
    const char *path;
    enum isa_chip_bit chip; /* 0: not given */
    unsigned wave_size;     /* 0: not given */
    bool is_hex, wants_help;
};

static bool set_chip(void *into, const char *value)
{
    struct options *options = into;
    options->chip = isa_chip_by_name(value);
    if (!options->chip)
        tool_complain("there is no chip '%s'; there are gfx1010, gfx1013, gfx1030 and gfx1033", value);
    return options->chip;
}

static bool set_wave(void *into, const char *value)
{
    struct options *options = into;
    options->wave_size = !strcmp(value, "32") ? 32 : !strcmp(value, "64") ? 64 : 0;
    if (!options->wave_size)
        tool_complain("a wave has 32 or 64 lanes, not '%s'", value);
    return options->wave_size;
}

#define PLACE(member) NULL, offsetof(struct options, member), NULL

static const struct tool_option rows[] = {
    {"--chip", NULL, "NAME", set_chip, 0, NULL},
    {"--wave", NULL, "SIZE", set_wave, 0, NULL},
    {"--hex", NULL, NULL, PLACE(is_hex)},
    {"--help", "-h", NULL, PLACE(wants_help)},
};

static const struct tool_options known_options = TOOL_OPTIONS("disasm", rows);

static bool parse(int argc, char **argv, struct options *options)
{
    for (int n = 1; n < argc && !options->wants_help; n++) {
        if (tool_option_is(argv[n])) {
            if (!tool_option_take(&known_options, options, argc, argv, &n))
                return false;
        } else if (options->path) {
            tool_complain("one file at a time: '%s' is a second", argv[n]);
            return false;
        } else {
            options->path = argv[n];
        }
    }
    if (!options->path && !options->wants_help)
        tool_complain("which file? Try tenfold disasm --help");
    return options->path || options->wants_help;
}

static size_t skip_space(struct base_bytes text, size_t at)
{
    while (at < text.size && (isspace(text.data[at]) || text.data[at] == ',' || text.data[at] == '#')) {
        if (text.data[at] == '#')
            while (at + 1 < text.size && text.data[at + 1] != '\n')
                at++;
        at++;
    }
    return at;
}

/* Reads the hexadecimal word that begins at *at. False when it is none, or more than 32 bits. */
static bool read_word(struct base_bytes text, size_t *at, uint32_t *word)
{
    char digits[16];
    size_t length = 0;
    for (; *at < text.size && isxdigit(text.data[*at] == 'x' && length == 1 ? 'a' : text.data[*at]); (*at)++) {
        if (length + 1 == sizeof digits)
            return false;
        digits[length++] = (char)text.data[*at];
    }
    digits[length] = 0;
    char *end = digits;
    uint64_t value = strtoull(digits, &end, 16);
    *word = (uint32_t)value;
    bool is_apart = *at == text.size || skip_space(text, *at) != *at;
    return length && !*end && value <= UINT32_MAX && is_apart;
}

/* The words that a text spells, as bytes; freed by the caller. False after complaining. */
static bool words_of_text(struct base_bytes text, uint8_t **data, size_t *size)
{
    *data = malloc(text.size * 2 + sizeof(uint32_t)); /* each word takes a digit and what stands between */
    *size = 0;
    if (!*data) {
        tool_complain("out of memory");
        return false;
    }
    for (size_t at = skip_space(text, 0); at < text.size; at = skip_space(text, at)) {
        uint32_t word;
        size_t start = at;
        if (!read_word(text, &at, &word)) {
            tool_complain("at byte %zu of the text: no hexadecimal word of 32 bits", start);
            return false;
        }
        base_put_u32(*data + *size, word);
        *size += sizeof word;
    }
    return true;
}

static uint32_t word_at(struct base_bytes bytes, size_t offset)
{
    uint32_t word = 0;
    base_bytes_u32(bytes, offset, &word);
    return word;
}

static void print_line(const char *text, uint64_t address, struct base_bytes bytes, size_t offset, size_t size)
{
    printf("\t%-58s // %08" PRIx64 ":", text, address + offset);
    for (size_t n = 0; n < size; n += sizeof(uint32_t))
        printf(" %08" PRIX32, word_at(bytes, offset + n));
    putchar('\n');
}

/* Prints the instruction at offset and returns its size. */
static size_t print_instruction(const struct tool_piece *piece, enum isa_chip_bit chip, unsigned wave_size, size_t offset,
                                bool *is_good)
{
    enum { MAX_WORDS = 5 }; /* of an image instruction with twelve separate addresses */
    uint32_t words[MAX_WORDS];
    char text[256];
    size_t count = 0;
    struct isa_inst inst;
    for (; count < MAX_WORDS && base_range_fits(offset + count * 4, 4, piece->bytes.size); count++)
        words[count] = word_at(piece->bytes, offset + count * 4);
    enum isa_status status = isa_decode(chip, wave_size, words, count, &inst);
    if (status == ISA_OK) {
        isa_print(&inst, chip, wave_size, piece->address + offset, text, sizeof text);
    } else {
        *is_good = false;
        snprintf(text, sizeof text, ".long 0x%08" PRIx32, words[0]);
        tool_complain("offset 0x%" PRIx64 ": 0x%08" PRIx32 " %s of %s", piece->address + offset, words[0],
                      status == ISA_TRUNCATED ? "begins an instruction, whose end is missing," : "is no instruction",
                      isa_chip_name(chip));
    }
    print_line(text, piece->address, piece->bytes, offset, inst.size);
    return inst.size;
}

static bool print_piece(const struct tool_piece *piece, enum isa_chip_bit chip, unsigned wave_size)
{
    bool is_good = true;
    size_t offset = 0;
    if (piece->name)
        printf("%s:\n", piece->name);
    while (piece->bytes.size - offset >= sizeof(uint32_t))
        offset += print_instruction(piece, chip, wave_size, offset, &is_good);
    if (offset < piece->bytes.size)
        tool_complain("offset 0x%" PRIx64 ": %zu bytes are left over", piece->address + offset, piece->bytes.size - offset);
    return is_good && offset == piece->bytes.size;
}

/* A function without a descriptor runs in the waves of the kernels that call it; a file's kernels are nearly always alike. */
static unsigned usual_wave_size(const struct tool_code *code)
{
    for (size_t n = 0; n < code->count; n++)
        if (code->pieces[n].wave_size)
            return code->pieces[n].wave_size;
    return 32;
}

static int print_code(const struct options *options, const struct tool_code *code)
{
    bool is_good = true;
    enum isa_chip_bit chip = options->chip ? options->chip : isa_chip_by_name(code->chip ? code->chip : "");
    if (!chip) {
        tool_complain("'%s' is for no chip that there is; --chip chooses one", options->path);
        return TOOL_FAILED;
    }
    for (size_t n = 0; n < code->count; n++) {
        unsigned said = code->pieces[n].wave_size ? code->pieces[n].wave_size : usual_wave_size(code);
        is_good = print_piece(&code->pieces[n], chip, options->wave_size ? options->wave_size : said) && is_good;
    }
    return is_good ? TOOL_DONE : TOOL_FAILED;
}

static int disassemble(const struct options *options, struct base_bytes file)
{
    struct tool_piece all = {.bytes = file};
    struct tool_code code = {.chip = "gfx1030", .pieces = &all, .count = 1};
    struct base_error error;
    if (options->is_hex || !tool_disasm_is_elf(file))
        return print_code(options, &code);
    bool is_read = tool_disasm_read_elf(file, &code, &error);
    int status = is_read ? print_code(options, &code) : TOOL_FAILED;
    if (!is_read)
        tool_complain("'%s': %s", options->path, error.text);
    tool_disasm_code_finish(&code);
    return status;
}

int tool_disasm(int argc, char **argv)
{
    struct options options = {0};
    uint8_t *data = NULL, *words = NULL;
    size_t size = 0;
    if (!parse(argc, argv, &options))
        return TOOL_USAGE;
    if (options.wants_help) {
        fputs(help, stdout);
        return TOOL_DONE;
    }
    if (!tool_file_read(strcmp(options.path, "-") ? options.path : "/dev/stdin", &data, &size))
        return TOOL_FAILED;
    int status = TOOL_FAILED;
    if (!options.is_hex)
        status = disassemble(&options, (struct base_bytes){data, size});
    else if (words_of_text((struct base_bytes){data, size}, &words, &size))
        status = disassemble(&options, (struct base_bytes){words, size});
    free(words);
    free(data);
    return status;
}
