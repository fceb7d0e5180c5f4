/* The insides of narrowing: shared by its files, and by nobody else.
 *
 * Roles and owners:
 *   narrow_pass  one module on its way; on spirv_narrow's stack.
 *   narrow_id    what is known of an id of the old module's or the new one's; the pass's, reached by number because the array moves.
 */
#ifndef SPIRV_SPIRV_NARROW_PASS_H
#define SPIRV_SPIRV_NARROW_PASS_H

#include "spirv/spirv_narrow.h"

enum narrow_kind {
    NARROW_PLAIN,
    NARROW_LONG,   /* 64-bit integers, of either sign */
    NARROW_DOUBLE, /* 64-bit floats */
    NARROW_BYTE,
    NARROW_PLACE, /* pointers to bytes in memory: an address, as two words */
};

enum { NARROW_CONSTANT_BITS = 8 };

struct narrow_id {
    uint32_t type;    /* of a value */
    uint8_t kind;     /* of a type: narrow_kind */
    bool is_constant; /* a word that is known */
    uint32_t value;
    uint32_t same;           /* what a type has become; 0: itself */
    uint32_t block, part[2]; /* the words of a pair, where they were made in this block, or 0 */
};

struct narrow_pass {
    const uint32_t *in;
    size_t in_count;
    struct spirv_narrowing *narrowing;
    struct spirv_words head, types, body; /* types: also constants, as they turn up */
    struct spirv_words *at;               /* where instructions go */
    struct narrow_id *ids;
    uint32_t id_count, id_cap;
    uint32_t block;                                     /* being written; 0: outside of functions */
    uint32_t t_void, t_bool, t_u32, t_pair, t_extended; /* t_extended: of a product's two words; 0: not there yet */
    size_t functions;                                   /* where they begin in in */
    uint32_t constants[1 << NARROW_CONSTANT_BITS];      /* some of those that were made */
    bool out_of_memory;
};

/* An instruction of the module's: w[0] says its length and opcode. */
typedef void (*narrow_writer)(struct narrow_pass *p, const uint32_t *w);
struct narrow_row {
    uint16_t opcode;
    narrow_writer write;
};

enum { NARROW_RESULT = 2, NARROW_FIRST = 3, NARROW_SECOND = 4, NARROW_THIRD = 5 }; /* words of an instruction with a result */

uint32_t narrow_new_id(struct narrow_pass *p);
uint32_t narrow_const(struct narrow_pass *p, uint32_t value);
bool narrow_known(const struct narrow_pass *p, uint32_t id, uint32_t *value);
uint32_t narrow_type(const struct narrow_pass *p, uint32_t type); /* what it has become */
enum narrow_kind narrow_kind_of(const struct narrow_pass *p, uint32_t value);
void narrow_refuse(struct narrow_pass *p, const char *what);

/* An instruction with a result: its id, which is the given one unless that is 0. */
uint32_t narrow_put(struct narrow_pass *p, unsigned opcode, uint32_t type, uint32_t id, unsigned count, const uint32_t *operands);
uint32_t narrow_word(struct narrow_pass *p, unsigned opcode, uint32_t a, uint32_t b);         /* a word of two */
uint32_t narrow_test(struct narrow_pass *p, unsigned opcode, uint32_t a, uint32_t b);         /* a boolean of two */
uint32_t narrow_choose(struct narrow_pass *p, uint32_t condition, uint32_t yes, uint32_t no); /* words */
uint32_t narrow_part(struct narrow_pass *p, uint32_t pair, unsigned n);
void narrow_pair(struct narrow_pass *p, uint32_t id, uint32_t low, uint32_t high);
void narrow_copy(struct narrow_pass *p, const uint32_t *w); /* the first operand under the result's id */
void narrow_call(struct narrow_pass *p, enum spirv_helper helper, uint32_t type, uint32_t id, unsigned count,
                 const uint32_t *operands);
/* The instruction with its types as they are now. */
void narrow_keep(struct narrow_pass *p, const uint32_t *w);

/* False: none of the rows. */
bool narrow_write_long(struct narrow_pass *p, const uint32_t *w);
bool narrow_write_double(struct narrow_pass *p, const uint32_t *w);
bool narrow_write_byte(struct narrow_pass *p, const uint32_t *w);
bool narrow_write_bound(struct narrow_pass *p, const uint32_t *w); /* of words and floats of 32 bits */

#endif
