/* fuzz: what the fuzz targets share: running them over files where there is no libFuzzer. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The target, called with one input. Aborts when something is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs the target over every file named, and every file in every folder named. Returns main's status: 0, or 1 when something cannot
 * be read or nothing was run. */
int fuzz_run_files(int argc, char **argv);

#endif
