/* What a module and its dispatcher agree on: words of the parameter and status buffers. Plain defines: the lane library reads them too. */
#ifndef SPIRV_SPIRV_LAYOUT_H
#define SPIRV_SPIRV_LAYOUT_H

/* Parameters (binding 0): a wave's scalars at its start, by slot, then these, then the table of mapped runs, which is reached by device address. */
#define P_GROUPS       160u /* 3: the grid */
#define P_THREADS      163u /* 3: of a group */
#define P_LAST_THREADS 166u /* 3: of the last group of each dimension */
#define P_WAVES        172u /* of a group */
#define P_LDS_BYTES    173u
#define P_BUDGET       174u /* back edges that a wave may take; below 2^31 */
#define P_RUN_COUNT    175u
#define P_TABLE        176u  /* 2: device address of the table of runs */
#define P_ROUNDS       178u  /* a power of two over 1, whose halving takes a few rounds of a loop */
#define P_SLOTS        184u  /* SLOTS_MAX of SLOT_WORDS */
#define P_WORDS        1208u /* what scalar loads of a module's own table come to */
#define P_NEAR         1464u /* NEAR_MAX of NEAR_WORDS: accesses of a fast module */
#define P_RUNS         1720u
#define P_RUN_WORDS    8u /* guest start (2), size (2), device address (2), flags: 1 writable, 2 discards; unused */

/* Told with each run, behind the box of its groups: the first group's ids (3), the grid in x and y, and whether only those lanes run whose bits
 * are set in binding 2; there a fast module sets the bits of lanes that are to run again. */
#define TOLD_WORDS      26u
#define TOLD_IDS        0u
#define TOLD_GRID       3u
#define TOLD_AGAIN      5u
#define TOLD_NEAR       6u /* the first rows of P_NEAR, of which three words are told, */
#define TOLD_NEARS      4u
#define TOLD_NEAR_WORDS 3u
#define TOLD_WORD       18u /* and the first words of P_WORDS */
#define TOLD_LOADED     8u

/* A slot: where the memory lies that accesses with one base reach. */
#define SLOTS_MAX     64u
#define SLOT_WORDS    16u
#define SLOT_START    0u /* 2: guest address, a multiple of four */
#define SLOT_BYTES    2u /* from there on, below 2^31; 0: nothing is bound */
#define SLOT_DEVICE   4u /* 2 */
#define SLOT_FLAGS    6u
#define SLOT_MASK     8u /* 2: device address of a word for each of the slot's words */
#define SLOT_WRITABLE 1u
#define SLOT_MARKS    2u /* stored words are marked in the mask */
#define SLOT_ESCAPES  4u /* what lies outside is not searched for, but told as an escape */
#define WORDS_MAX     (P_NEAR - P_WORDS)

/* An access of a fast module, by a lane's index into a window: those from FIRST on, COUNT of them, lie in it, at RELATIVE + (index << scale). */
#define NEAR_MAX      64u
#define NEAR_WORDS    4u
#define NEAR_FIRST    0u
#define NEAR_COUNT    1u /* 0: nothing is bound */
#define NEAR_RELATIVE 2u

#define WINDOWS        8u /* slots that have a binding of their own: the slot's memory */
#define WINDOW_BINDING 4u

/* Status (binding 1). */
#define STATUS_COUNT        0u  /* faults */
#define STATUS_STOP         1u  /* a wave ran out of its budget: all end */
#define STATUS_CUT          2u  /* waves whose loops the host ended early: it gives an invocation so many rounds in all */
#define STATUS_ESCAPED      3u  /* not 0: some access lay outside a slot that says so */
#define STATUS_KINDS        4u  /* faults by enum wave_fault_kind */
#define STATUS_MISSED       31u /* not 0: lanes of a fast module left their windows and did nothing; bits of binding 2 say which */
#define STATUS_RECORDS      32u /* kind, site, address (2), lane, group, wave, unused */
#define STATUS_RECORD_WORDS 8u
#define STATUS_MAX          64u
#define STATUS_WORDS        (STATUS_RECORDS + STATUS_MAX * STATUS_RECORD_WORDS)

/* Told to rows on f32 together with MODE. */
#define M_NAN_ANY 0x80000000u /* nobody sees which NaN the result is */

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
