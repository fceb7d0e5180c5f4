/* Validation of modules by SPIRV-Tools, for tests. */
#ifndef TESTS_SPIRV_SPIRV_VALIDATE_H
#define TESTS_SPIRV_SPIRV_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False with what is wrong in error. */
bool spirv_validate(const uint32_t *words, size_t count, char *error, size_t error_size);

#endif
