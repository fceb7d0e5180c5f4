/* isa_image.h: the operands of MIMG. Internal to isa/. */
#ifndef ISA_ISA_IMAGE_H
#define ISA_ISA_IMAGE_H

#include "isa/isa_decode.h"

/* Reads data, addresses (with their extra words), resource and sampler. */
bool isa_decode_image(struct isa_decoding *d);

/* Address registers that the row takes for that dimension. */
unsigned isa_image_address_count(const struct isa_row *row, unsigned dim, bool a16);

#endif
