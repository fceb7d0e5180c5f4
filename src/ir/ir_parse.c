/* The text form's parser: reads exactly what ir_print writes, from text that anyone may have written. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "ir/ir_names.h"
#include "ir/ir_slots.h"

/* Where the reader is. Once failed, every step is a no-op that reads nothing. */
struct reader {
    const char *text, *end, *at, *line_start;
    unsigned line;
    bool failed;
    char *error;
    size_t error_size;
    struct ir_builder b;
};

struct word {
    const char *at;
    size_t size;
};

/* An operand as written: the slots it spells out must be those that the op says. */
struct operand {
    ir_ref ref;
    unsigned span;
    const char *at;
};

__attribute__((format(printf, 3, 4))) static void fail_at(struct reader *r, const char *at, const char *format, ...)
{
    if (r->failed)
        return;
    r->failed = true;
    if (!r->error_size)
        return;
    char reason[160];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    snprintf(r->error, r->error_size, "line %u, column %u: %s", r->line, (unsigned)(at - r->line_start) + 1, reason);
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
}

static bool at_line_end(struct reader *r)
{
    skip_blanks(r);
    return r->at == r->end || *r->at == '\n';
}

static void end_line(struct reader *r)
{
    if (!r->failed && !at_line_end(r))
        fail_at(r, r->at, "more text than the line should have");
    if (r->failed || r->at == r->end)
        return;
    r->line_start = ++r->at;
    r->line++;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static struct word peek(struct reader *r)
{
    skip_blanks(r);
    const char *end = r->at;
    while (!r->failed && end < r->end && is_word(*end))
        end++;
    return (struct word){r->at, (size_t)(end - r->at)};
}

static struct word take(struct reader *r)
{
    struct word w = peek(r);
    r->at += w.size;
    return w;
}

static bool same(struct word w, const char *name)
{
    return strlen(name) == w.size && !memcmp(name, w.at, w.size);
}

static bool take_if(struct reader *r, const char *name)
{
    struct word w = peek(r);
    if (r->failed || !same(w, name))
        return false;
    r->at += w.size;
    return true;
}

static bool take_char(struct reader *r, char c)
{
    skip_blanks(r);
    if (r->failed || r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static void expect_char(struct reader *r, char c)
{
    if (!take_char(r, c))
        fail_at(r, r->at, "expected '%c'", c);
}

static void expect_word(struct reader *r, const char *name)
{
    if (!take_if(r, name))
        fail_at(r, r->at, "expected '%s'", name);
}

static int digit_of(char c, unsigned base)
{
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
    return digit < (int)base ? digit : -1;
}

/* The number that a word is, at most limit: decimal, or hexadecimal behind 0x. */
static uint64_t number_of(struct reader *r, struct word w, uint64_t limit)
{
    unsigned base = w.size > 2 && w.at[0] == '0' && w.at[1] == 'x' ? 16 : 10;
    size_t i = base == 16 ? 2 : 0;
    uint64_t value = 0;
    bool good = w.size > 0;
    for (; good && i < w.size; i++) {
        int digit = digit_of(w.at[i], base);
        good = digit >= 0 && value <= (limit - (uint64_t)digit) / base && (uint64_t)digit <= limit;
        value = good ? value * base + (uint64_t)digit : 0;
    }
    if (!good)
        fail_at(r, w.at, "expected a number up to %" PRIu64, limit);
    return value;
}

static uint64_t take_number(struct reader *r, uint64_t limit)
{
    return number_of(r, take(r), limit);
}

/* name=number */
static uint64_t take_field(struct reader *r, const char *name, uint64_t limit)
{
    expect_word(r, name);
    expect_char(r, '=');
    return take_number(r, limit);
}

static int32_t take_signed(struct reader *r)
{
    bool minus = take_char(r, '-');
    int64_t value = (int64_t)take_number(r, (uint64_t)INT32_MAX + minus);
    return (int32_t)(minus ? -value : value);
}

static ir_ref slot_of(struct reader *r, struct word w)
{
    ir_ref ref = ir_slot_by_name(w.at, w.size);
    if (!r->failed && ref.kind == IR_NONE)
        fail_at(r, w.at, "no operand is called '%.*s'", (int)(w.size < 40 ? w.size : 40), w.at);
    return ref;
}

static struct operand take_operand(struct reader *r)
{
    struct word w = take(r);
    struct operand operand = {.span = 1, .at = w.at};
    if (r->failed || same(w, "none")) {
        operand.span = 0;
    } else if (w.size && w.at[0] >= '0' && w.at[0] <= '9') {
        operand.ref = ir_const(&r->b, number_of(r, w, UINT64_MAX));
        operand.span = 0;
        if (r->b.error)
            fail_at(r, w.at, "%s", r->b.error);
    } else {
        operand.ref = slot_of(r, w);
        if (take_char(r, ':')) {
            struct word second = take(r);
            ir_ref last = slot_of(r, second);
            if (last.kind != operand.ref.kind || last.index <= operand.ref.index)
                fail_at(r, second.at, "the last slot does not follow the first");
            operand.span = last.index - operand.ref.index + 1u;
        }
    }
    return operand;
}

/* The span spelled out must be that of the op: a constant and an absent operand spell none. */
static void check_span(struct reader *r, const struct operand *operand, unsigned span)
{
    if (operand->span && operand->span != span)
        fail_at(r, operand->at, "the operand spans %u slots, not %u", span, operand->span);
}

static int index_of(struct word w, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (same(w, names[i]))
            return (int)i;
    return -1;
}

/* The op that a word names; its suffix says what the operands do not. */
static bool op_of(struct word w, unsigned *op, int *lane)
{
    static const char *const suffixes[] = {".uniform", ".lane"};
    *lane = -1;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(suffixes[i]);
        if (w.size > length && !memcmp(w.at + w.size - length, suffixes[i], length)) {
            *lane = i;
            w.size -= length;
        }
    }
    for (*op = 0; *op < IR_OP_COUNT; ++*op)
        if (same(w, ir_ops[*op].name))
            return true;
    return false;
}

static bool take_flag(struct reader *r, struct ir_access *access)
{
    for (size_t i = 0; i < IR_FLAG_COUNT; i++)
        if (!(access->flags & ir_flag_names[i].flag) && take_if(r, ir_flag_names[i].name)) {
            access->flags |= ir_flag_names[i].flag;
            return true;
        }
    return false;
}

/* A name without '=' behind it is not taken: `format` is a flag, too. */
static bool take_named(struct reader *r, const char *name)
{
    const char *at = r->at;
    if (take_if(r, name) && take_char(r, '='))
        return true;
    r->at = at;
    return false;
}

static struct ir_access parse_access(struct reader *r)
{
    struct ir_access access = {.elements = 1};
    struct word w = take(r);
    int space = index_of(w, ir_space_names, IR_SPACE_COUNT);
    if (space < 0)
        fail_at(r, w.at, "expected a memory space");
    access.space = (uint8_t)(space < 0 ? 0 : space);
    int atomic = index_of(peek(r), ir_atomic_names, IR_ATOMIC_COUNT);
    if (atomic > 0) {
        take(r);
        access.atomic = (uint8_t)atomic;
    }
    access.bytes = (uint8_t)take_field(r, "bytes", UINT8_MAX);
    if (take_named(r, "elements"))
        access.elements = (uint8_t)take_number(r, UINT8_MAX);
    if (take_named(r, "format"))
        access.format = (uint8_t)take_number(r, UINT8_MAX);
    if (take_named(r, "scale"))
        access.scale = (uint8_t)take_number(r, UINT8_MAX);
    if (take_named(r, "at"))
        access.offset = take_signed(r);
    if (take_named(r, "at1"))
        access.offset1 = take_signed(r);
    while (take_flag(r, &access))
        ;
    return access;
}

/* word, word.lo or word.hi */
static uint8_t take_image_place(struct reader *r)
{
    struct word w = take(r);
    unsigned half = IR_AT_WHOLE;
    for (unsigned i = IR_AT_LOW; i <= IR_AT_HIGH; i++) {
        size_t length = strlen(ir_image_half_names[i]);
        if (w.size > length && !memcmp(w.at + w.size - length, ir_image_half_names[i], length)) {
            half = i;
            w.size -= length;
        }
    }
    return (uint8_t)(number_of(r, w, (IR_AT_NOWHERE - 1) / IR_AT_WORD) * IR_AT_WORD + half);
}

static bool take_image_part(struct reader *r, struct ir_image *image)
{
    int part = index_of(peek(r), ir_image_part_names, IR_PART_COUNT);
    if (r->failed || part < 0 || image->at[part] != IR_AT_NOWHERE)
        return false;
    take(r);
    expect_char(r, '=');
    image->at[part] = take_image_place(r);
    return true;
}

static bool take_image_flag(struct reader *r, struct ir_image *image)
{
    for (size_t i = 0; i < IR_IMAGE_FLAG_COUNT; i++)
        if (!(image->flags & ir_image_flag_names[i].flag) && take_if(r, ir_image_flag_names[i].name)) {
            image->flags |= (uint16_t)ir_image_flag_names[i].flag;
            return true;
        }
    return false;
}

static uint8_t take_index(struct reader *r, const char *const *names, size_t count, const char *what)
{
    struct word w = take(r);
    int index = index_of(w, names, count);
    if (index < 0)
        fail_at(r, w.at, "expected %s", what);
    return (uint8_t)(index < 0 ? 0 : index);
}

static struct ir_image parse_image(struct reader *r)
{
    struct ir_image image = {.kind = take_index(r, ir_image_kind_names, IR_IMAGE_KIND_COUNT, "what the image instruction does")};
    image.dim = take_index(r, ir_image_dim_names, IR_DIM_COUNT, "a dimension");
    int atomic = index_of(peek(r), ir_atomic_names, IR_ATOMIC_COUNT);
    if (atomic > 0) {
        take(r);
        image.atomic = (uint8_t)atomic;
    }
    image.dmask = (uint8_t)take_field(r, "dmask", UINT8_MAX);
    image.result_words = (uint8_t)take_field(r, "results", UINT8_MAX);
    image.data_words = (uint8_t)take_field(r, "stored", UINT8_MAX);
    image.address_words = (uint8_t)take_field(r, "words", UINT8_MAX);
    memset(image.at, IR_AT_NOWHERE, sizeof image.at);
    while (take_image_part(r, &image))
        ;
    while (take_image_flag(r, &image))
        ;
    return image;
}

static void parse_image_sources(struct reader *r, struct operand *src)
{
    while (take_char(r, ',')) {
        struct word w = take(r);
        int n = index_of(w, ir_image_sources, IR_IMAGE_SOURCES);
        if (n < 0 || !ir_is_none(src[n].ref)) {
            fail_at(r, w.at, "expected a source that an image has, once");
            return;
        }
        src[n] = take_operand(r);
    }
}

/* Sources of a space that has no name for them are src0, src1, ... */
static int access_source_of(struct word w, unsigned space)
{
    for (int n = 0; n < IR_ACCESS_SOURCES; n++) {
        char plain[] = {'s', 'r', 'c', (char)('0' + n), 0};
        const char *name = ir_access_sources[space][n];
        if (same(w, name ? name : plain))
            return n;
    }
    return -1;
}

static void parse_access_sources(struct reader *r, struct operand *src, unsigned space)
{
    while (take_char(r, ',')) {
        struct word w = take(r);
        int n = access_source_of(w, space);
        if (n < 0 || !ir_is_none(src[n].ref)) {
            fail_at(r, w.at, "expected a source that the space has, once");
            return;
        }
        src[n] = take_operand(r);
    }
}

/* Returns how many. */
static unsigned parse_sources(struct reader *r, struct operand *src)
{
    unsigned count = 0;
    struct word w = peek(r);
    if (at_line_end(r) || same(w, "if") || same(w, "imm"))
        return 0;
    do {
        if (count == 6) {
            fail_at(r, peek(r).at, "more than six sources");
            return 0;
        }
        src[count++] = take_operand(r);
    } while (take_char(r, ','));
    return count;
}

static unsigned parse_dsts(struct reader *r, struct operand *dst)
{
    unsigned op, count = 0;
    int lane;
    if (op_of(peek(r), &op, &lane))
        return 0;
    if (at_line_end(r))
        fail_at(r, r->at, "expected an instruction or a terminator");
    do {
        if (count == 2) {
            fail_at(r, peek(r).at, "more than two destinations");
            return 0;
        }
        dst[count++] = take_operand(r);
    } while (take_char(r, ','));
    expect_char(r, '=');
    return count;
}

static void finish_inst(struct reader *r, const struct operand *dst, const struct operand *src, const struct operand *mask)
{
    struct ir_func *func = r->b.func;
    struct ir_inst *inst = &func->insts[func->inst_count - 1];
    for (unsigned n = 0; n < 2; n++)
        check_span(r, &dst[n], ir_dst_span(func, inst, n));
    for (unsigned n = 0; n < 6; n++)
        check_span(r, &src[n], ir_src_span(func, inst, n));
    check_span(r, mask, ir_mask_span(func));
}

static void parse_inst(struct reader *r)
{
    struct operand dst[2] = {0}, src[6] = {0}, mask = {.ref = {IR_S, IR_ALL_LO}};
    unsigned op, src_count;
    int lane;
    parse_dsts(r, dst);
    struct word w = take(r);
    if (!r->failed && !op_of(w, &op, &lane))
        fail_at(r, w.at, "expected an operation");
    if (r->failed)
        return;
    struct ir_inst made = {.op = (uint16_t)op};
    struct ir_access access;
    struct ir_image image;
    if (ir_op_has_access(op)) {
        access = parse_access(r);
        parse_access_sources(r, src, access.space);
        src_count = ir_ops[op].src_count;
    } else if (op == IR_image) {
        image = parse_image(r);
        parse_image_sources(r, src);
        src_count = ir_ops[op].src_count;
    } else {
        src_count = parse_sources(r, src);
        made.imm = take_named(r, "imm") ? (uint32_t)take_number(r, UINT32_MAX) : 0;
    }
    if (take_if(r, "if"))
        mask = take_operand(r);
    if (r->failed)
        return;
    struct ir_inst *inst;
    if (ir_op_has_access(op)) {
        *ir_append_access(&r->b, &inst, (enum ir_op)op, IR_SPACE_SCALAR) = access;
        made.imm = inst->imm;
    } else if (op == IR_image) {
        *ir_append_image(&r->b, &inst, IR_IMAGE_LOAD) = image;
        made.imm = inst->imm;
    } else {
        inst = ir_append(&r->b, (enum ir_op)op);
    }
    if (r->b.func->out_of_memory)
        return;
    for (unsigned n = 0; n < 6; n++)
        made.src[n] = src[n].ref;
    for (unsigned n = 0; n < 2; n++)
        made.dst[n] = dst[n].ref;
    made.src_count = (uint8_t)src_count;
    made.mask = mask.ref;
    made.pc = r->b.pc;
    made.lane = lane >= 0 ? (uint8_t)lane : ir_looks_per_lane(&made);
    *inst = made;
    finish_inst(r, dst, src, &mask);
}

static void parse_edge(struct reader *r, struct ir_block *block, unsigned n)
{
    struct word w = take(r);
    if (same(w, "outside"))
        block->succ[n] = IR_NO_BLOCK;
    else if (w.size > 1 && w.at[0] == 'b')
        block->succ[n] = (uint32_t)number_of(r, (struct word){w.at + 1, w.size - 1}, IR_NO_BLOCK - 1);
    else
        fail_at(r, w.at, "expected a block or 'outside'");
    expect_char(r, '@');
    block->target[n] = take_number(r, UINT64_MAX);
    block->back[n] = take_if(r, "back");
}

static void parse_cond(struct reader *r, struct ir_block *block, unsigned span)
{
    struct operand cond = take_operand(r);
    check_span(r, &cond, span);
    block->cond = cond.ref;
}

/* False when the line is no terminator. */
static bool parse_terminator(struct reader *r, struct ir_block *block)
{
    static const char *const words[] = {[IR_TERM_NONE] = "open", [IR_TERM_JUMP] = "jump",   [IR_TERM_BRANCH] = "branch",
                                        [IR_TERM_END] = "end",   [IR_TERM_SETPC] = "setpc", [IR_TERM_STOP] = "stop"};
    int term = index_of(peek(r), words, sizeof words / sizeof *words);
    if (term < 0)
        return false;
    take(r);
    block->term = (uint8_t)term;
    if (term == IR_TERM_JUMP) {
        parse_edge(r, block, 0);
    } else if (term == IR_TERM_BRANCH) {
        parse_cond(r, block, 1);
        expect_char(r, '?');
        parse_edge(r, block, 0);
        expect_char(r, ':');
        parse_edge(r, block, 1);
    } else if (term == IR_TERM_SETPC) {
        parse_cond(r, block, 2);
    }
    return true;
}

static void parse_block(struct reader *r)
{
    struct ir_func *func = r->b.func;
    expect_word(r, "block");
    struct word w = take(r);
    if (!r->failed &&
        (w.size < 2 || w.at[0] != 'b' || number_of(r, (struct word){w.at + 1, w.size - 1}, IR_NO_BLOCK - 1) != func->block_count))
        fail_at(r, w.at, "blocks are numbered from b0 up, this one is b%" PRIu32, func->block_count);
    uint64_t pc = take_field(r, "pc", UINT64_MAX);
    uint32_t number = r->failed ? IR_NO_BLOCK : ir_block_begin(func, pc);
    if (number == IR_NO_BLOCK)
        return;
    struct ir_block *block = &func->blocks[number];
    block->end_pc = take_field(r, "end", UINT64_MAX);
    block->guest_count = (uint32_t)take_field(r, "guest", UINT32_MAX);
    end_line(r);
    r->b.pc = pc;
    while (!r->failed && !func->out_of_memory) {
        bool ended = parse_terminator(r, block);
        if (!ended && take_char(r, '@'))
            r->b.pc = take_number(r, UINT64_MAX);
        else if (!ended)
            parse_inst(r);
        end_line(r);
        if (ended)
            break;
    }
    block->count = func->inst_count - block->first;
}

static void parse_func(struct reader *r)
{
    expect_word(r, "func");
    if (take_if(r, "wave64"))
        r->b.func->wave_size = 64;
    else
        expect_word(r, "wave32");
    r->b.func->entry = take_field(r, "entry", UINT64_MAX);
    end_line(r);
    while (!r->failed && !r->b.func->out_of_memory && r->at < r->end)
        parse_block(r);
}

struct ir_func *ir_parse(const char *text, size_t size, char *error, size_t error_size)
{
    struct reader r = {
        .text = text, .end = text + size, .at = text, .line_start = text, .line = 1, .error = error, .error_size = error_size};
    if (error_size)
        error[0] = 0;
    r.b.func = ir_func_create(32, 0);
    if (!r.b.func)
        return NULL;
    parse_func(&r);
    if (r.b.func->out_of_memory)
        fail_at(&r, r.at, "out of memory");
    if (r.failed) {
        ir_func_destroy(r.b.func);
        return NULL;
    }
    return r.b.func;
}
