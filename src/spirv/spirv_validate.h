/* spirv_validate: validation of modules by SPIRV-Tools, for tests and for builds that look at every module before a driver gets it (meson_options.txt,
 * validate). */
#ifndef SPIRV_SPIRV_VALIDATE_H
#define SPIRV_SPIRV_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False with what is wrong in error. */
bool spirv_validate(const uint32_t *words, size_t count, char *error, size_t error_size);

#endif
