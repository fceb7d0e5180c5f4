/* What a module and its dispatcher agree on: words of the parameter and status buffers. Plain defines: the lane library reads them too. */
#ifndef SPIRV_SPIRV_LAYOUT_H
#define SPIRV_SPIRV_LAYOUT_H

/* Parameters (binding 0): a wave's scalars at its start, by slot, then these, then the table of mapped runs, which is reached by device address. */
#define P_GROUPS       160u /* 3: the grid */
#define P_THREADS      163u /* 3: of a group */
#define P_LAST_THREADS 166u /* 3: of the last group of each dimension */
#define P_FIRST_GROUP  169u /* 3: added to the ids that groups see */
#define P_WAVES        172u /* of a group */
#define P_LDS_BYTES    173u
#define P_BUDGET       174u /* back edges that a wave may take; below 2^31 */
#define P_RUN_COUNT    175u
#define P_TABLE        176u /* 2: device address of the table of runs */
#define P_ROUNDS       178u /* a power of two over 1, whose halving takes a few rounds of a loop */
#define P_RUNS         184u
#define P_RUN_WORDS    8u /* guest start (2), size (2), device address (2), flags: 1 writable, 2 discards; unused */

/* Status (binding 1). */
#define STATUS_COUNT        0u  /* faults */
#define STATUS_STOP         1u  /* a wave ran out of its budget: all end */
#define STATUS_CUT          2u  /* waves whose loops the host ended early: it gives an invocation so many rounds in all */
#define STATUS_KINDS        4u  /* faults by enum wave_fault_kind */
#define STATUS_RECORDS      32u /* kind, site, address (2), lane, group, wave, unused */
#define STATUS_RECORD_WORDS 8u
#define STATUS_MAX          64u
#define STATUS_WORDS        (STATUS_RECORDS + STATUS_MAX * STATUS_RECORD_WORDS)

/* A data format as one word: number type, bytes of an element, widths of the components from the lowest bits up. */
#define FORMAT_ROW(number, bytes, x, y, z, w) \
    ((number) << 29 | (bytes##u) << 24 | (w##u) << 18 | (z##u) << 12 | (y##u) << 6 | (x##u))

/* Number types. */
#define N_UNORM   0u
#define N_SNORM   1u
#define N_USCALED 2u
#define N_SSCALED 3u
#define N_UINT    4u
#define N_SINT    5u
#define N_FLOAT   6u

/* enum ir_atomic. */
#define A_SWAP     1u
#define A_CMPSWAP  2u
#define A_ADD      3u
#define A_SUB      4u
#define A_RSUB     5u
#define A_SMIN     6u
#define A_UMIN     7u
#define A_SMAX     8u
#define A_UMAX     9u
#define A_AND      10u
#define A_OR       11u
#define A_XOR      12u
#define A_INC      13u
#define A_DEC      14u
#define A_CSUB     15u
#define A_FCMPSWAP 16u
#define A_FMIN     17u
#define A_FMAX     18u
#define A_FADD     19u
#define A_MSKOR    20u
#define A_WRAP     21u

#endif
