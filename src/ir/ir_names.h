/* The words of the text form: slots, spaces, atomics and flags by name, for the printer and the parser alike. */
#ifndef IR_IR_NAMES_H
#define IR_IR_NAMES_H

#include "ir/ir.h"

/* One flag bit of an access and its word. */
struct ir_flag_name {
    const char *name;
    uint32_t flag;
};

enum { IR_SPACE_COUNT = IR_SPACE_GDS + 1, IR_ATOMIC_COUNT = IR_A_CONDXCHG + 1, IR_FLAG_COUNT = 18, IR_ACCESS_SOURCES = 6 };

extern const char *const ir_space_names[IR_SPACE_COUNT];
extern const char *const ir_atomic_names[IR_ATOMIC_COUNT];
extern const struct ir_flag_name ir_flag_names[IR_FLAG_COUNT];
/* What each source of an access in a space is for; NULL: the space has no such source. */
extern const char *const ir_access_sources[IR_SPACE_COUNT][IR_ACCESS_SOURCES];

enum { IR_IMAGE_FLAG_COUNT = 13, IR_IMAGE_SOURCES = 4 };

extern const char *const ir_image_kind_names[IR_IMAGE_KIND_COUNT], *const ir_image_dim_names[IR_DIM_COUNT];
extern const struct ir_flag_name ir_image_flag_names[IR_IMAGE_FLAG_COUNT];
extern const char *const ir_image_part_names[IR_PART_COUNT];
/* Which half of its word a part takes, as a suffix. */
extern const char *const ir_image_half_names[IR_AT_HIGH + 1];
extern const char *const ir_image_sources[IR_IMAGE_SOURCES];

enum { IR_NAME_SIZE = 24 };

/* The slot's name into text (IR_NAME_SIZE bytes), which is returned. */
const char *ir_slot_name(ir_ref r, char *text);
/* The slot of that name (size characters); kind IR_NONE when there is none. */
ir_ref ir_slot_by_name(const char *name, size_t size);

#endif
