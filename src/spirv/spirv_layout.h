/* What a module and its dispatcher agree on: words of the parameter and status buffers. Plain defines: the lane library reads them too. */
#ifndef SPIRV_SPIRV_LAYOUT_H
#define SPIRV_SPIRV_LAYOUT_H

/* Parameters (binding 0): a wave's scalars at its start, by slot, then these, then the table of mapped runs, which is reached by device address. */
#define P_GROUPS       160u /* 3: the grid */
#define P_THREADS      163u /* 3: of a group */
#define P_LAST_THREADS 166u /* 3: of the last group of each dimension */
#define P_STOP         169u /* all waves are to end: by the host, while they run */
#define P_FIRST_ROUNDS 170u /* back edges after which a wave sees for the first time whether all are to end */
#define P_WAVES        172u /* of a group */
#define P_LDS_BYTES    173u
#define P_BUDGET       174u      /* back edges that a wave may take; below 2^31 */
#define UNCOUNTED_MOST 0x100000u /* back edges, of loops that are not counted; a part of that where the host ends loops itself */
#define UNCOUNTED_FEW  0x8000u
#define BUDGET_FIRST   512u     /* P_FIRST_ROUNDS of devices of their own, to which looks cost much */
#define BUDGET_PART    0x10000u /* and each time after so many more it is seen again */
#define P_RUN_COUNT    175u
#define P_TABLE        176u  /* 2: device address of the table of runs */
#define P_ROUNDS       178u  /* a power of two over 1, whose halving takes a few rounds of a loop */
#define P_GDS_BYTES    179u  /* of the global data share */
#define P_VIEWS        180u  /* 2: device address of what the host knows of images */
#define P_GDS          182u  /* 2: device address of the global data share */
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
#define SLOT_MASK     8u /* 2: device address of a byte for each of the slot's words */
#define SLOT_WRITABLE 1u
#define SLOT_MARKS    2u /* stored words are marked in the mask */
#define SLOT_ESCAPES  4u /* what lies outside is not searched for, but told as an escape */
#define WORDS_MAX     (P_NEAR - P_WORDS)

/* An access of a fast module, by a lane's index into a window: those from FIRST on, COUNT of them, lie in it, at RELATIVE + (index << scale), by
 * spirv_near_unit. */
#define NEAR_MAX      64u
#define NEAR_WORDS    4u
#define NEAR_FIRST    0u
#define NEAR_COUNT    1u /* 0: nothing is bound */
#define NEAR_RELATIVE 2u
#define NEAR_MASK \
    3u /* in a module that marks: what is added to a place in the window for that in the mask, by four words or words */

#define WINDOWS        8u /* slots that have a binding of their own: the slot's memory */
#define WINDOW_MASKS   4u /* in a module that marks: slots with windows, and how far behind a slot's window that of its mask is */
#define WINDOW_BINDING 4u

/* What the host knows of images, by device address: tables, then a record for each image operation of the module. */
#define VIEWS_SRGB       0u   /* floats of the 256 codes */
#define VIEWS_SRGB_CODES 256u /* the least float of each code, as bits; of code 0: 0 */
#define VIEWS_PARTITIONS \
    512u /* of BC6H and BC7 blocks, 64 of four words: subsets of two, of three, anchors by bytes: of two, of three */
#define VIEWS_BC7   768u /* modes: BC7_ */
#define VIEWS_BC6   776u /* 32 words for each mode, by the block's lowest 5 bits: BC6_, then fields; 0: no mode */
#define VIEWS_FIRST 1800u
#define VIEW_WORDS  1920u

/* A record: the descriptors that it was made of, then what they mean. Levels count from the view's first. All of an image lies together, so that
 * its addresses are the device's own, and nothing is searched. */
#define V_DESCRIPTOR   0u  /* 8; of short ones 4 */
#define V_SAMPLER      8u  /* 4 */
#define V_WHAT         12u /* V_FLAGS to V_SELECTS; this and what follows is read by fours */
#define V_FLAGS        12u /* VF_ */
#define V_ROW          13u /* FORMAT_ROW */
#define V_ENCODING     14u /* E_ */
#define V_SELECTS      15u
#define V_SLICES       16u
#define V_SLICE_BYTES  16u /* 2: from a group of slices, as a block has them, to the next */
#define V_LEVELS       18u
#define V_FIRST_SLICE  19u
#define V_BLOCKS       20u
#define V_SAMPLES      20u /* log2 */
#define V_BLOCK_X      21u /* log2 of a block's elements, bytes; V_BLOCK_BYTES 0: linear */
#define V_BLOCK_Y      22u
#define V_BLOCK_Z      23u
#define V_BYTES        24u
#define V_BLOCK_BYTES  24u
#define V_XOR          25u /* part of every address */
#define V_LAYERS       26u /* that a layer's number is limited to: the last one; not of volumes */
#define V_AXES         27u /* that are filtered */
#define V_LOD          28u
#define V_SF           28u /* of the sampler: SF_ */
#define V_MIN_LOD      29u /* floats */
#define V_MAX_LOD      30u
#define V_BIAS         31u
#define V_BORDER       32u  /* 4 */
#define V_SIZE         36u  /* 3: of the first level, floats */
#define V_SAMPLE_TERMS 40u  /* 8 */
#define V_MIPS         48u  /* 16 levels of M_WORDS */
#define V_TERMS        240u /* of x, y and z: of the low and of the high byte of the coordinate, 256 values */

#define V_KEYS         1792u /* of views whose metadata counts (VF_KEYS): device address (2), bytes of a slice (2), */
#define V_KEY_SHAPE    1796u /* log2 of a block's elements across, down, of its bytes, KEYS_ */
#define V_KEY_XOR      1800u /* part of every address */
#define V_KEY_TERMS    1804u /* by address bits in units of four bits: which bits of x and, above, y take part, which of z */
#define V_KEY_LEVELS   1836u /* by level: offset (2), blocks in a row, whether it has keys */
#define V_CLEARS       1900u /* elements of 4 words: all 0; colour 0 and alpha 1; the reverse; all 1 */
#define KEYS_DCC       0u
#define KEYS_CMASK     1u
#define KEYS_DEPTH     2u /* HTILE */
#define KEYS_STENCIL   3u
#define KEY_TERMS_MOST 16u

#define M_WORDS  12u
#define M_BASE   0u /* 2: device address */
#define M_ROW    2u /* blocks in a row of them, in the tail 0; linear: bytes in a row */
#define M_WIDTH  3u /* texels */
#define M_MORE   4u
#define M_HEIGHT 4u
#define M_LAYERS 5u /* slices that can be reached */
#define M_TAIL_X 6u /* added to coordinates */
#define M_TAIL_Y 7u
#define M_REST   8u
#define M_DEPTH  8u
#define M_SAID   9u /* what image_get_resinfo says: y, above it z */

#define VF_BOUND       1u
#define VF_SLICES      2u /* has slices to choose from */
#define VF_LINE        4u /* has no y */
#define VF_VOLUME      8u
#define VF_ARRAY       16u
#define VF_WRITABLE    32u
#define VF_INTEGER     64u
#define VF_FACES_APART 256u /* filters stop at the edges of a cube's faces */
#define VF_REFERENCE   128u /* references of comparisons are limited to 0 .. 1 */
#define VF_KEYS        8192u
#define VF_ACROSS      9u /* log2 of an element's texels across, 2 bits from there on */
#define VF_DOWN        11u

/* How an element holds a texel. */
#define E_PACKED 0u
#define E_SRGB   1u
#define E_6E4    2u
#define E_7E3    3u
#define E_SHARED 4u
/* Several texels; only modules that were made for them (SPIRV_FORM_) read them. */
#define E_KIND(encoding) ((encoding)&15u)
#define E_BITS           5u
#define E_PAIR           6u
#define E_BC1            7u
#define E_BC2            8u
#define E_BC3            9u
#define E_BC4            10u
#define E_BC5            11u
#define E_BC6            12u
#define E_BC7            13u
#define E_CURVE          16u /* sRGB */
#define E_SIGNED         32u /* of bits: the first texel in the highest one */
#define E_GREEN_FIRST    64u /* of pairs */

/* A block mode of BC7 as a word: the columns of image_block_bc7.def. */
#define BC7_MODE(subsets, partition, rotation, selection, colour, alpha, own, shared, index, second)                   \
    ((subsets) | (partition) << 2 | (rotation) << 5 | (selection) << 7 | (colour) << 8 | (alpha) << 12 | (own) << 16 | \
     (shared) << 17 | (index) << 18 | (second) << 21)
#define BC7_SUBSETS(m)   ((m)&3u)
#define BC7_PARTITION(m) ((m) >> 2 & 7u)
#define BC7_ROTATION(m)  ((m) >> 5 & 3u)
#define BC7_SELECTION(m) ((m) >> 7 & 1u)
#define BC7_COLOUR(m)    ((m) >> 8 & 15u)
#define BC7_ALPHA(m)     ((m) >> 12 & 15u)
#define BC7_OWN(m)       ((m) >> 16 & 1u)
#define BC7_SHARED(m)    ((m) >> 17 & 1u)
#define BC7_INDEX(m)     ((m) >> 18 & 7u)
#define BC7_SECOND(m)    ((m) >> 21 & 7u)
/* The same of BC6H (image_block_bc6.def), and a field. */
#define BC6_MODE(code_bits, deltas, partition, bits, red, green, blue) \
    ((code_bits) | (deltas) << 3 | (partition) << 4 | (bits) << 7 | (red) << 12 | (green) << 16 | (blue) << 20)
#define BC6_CODE(m)                            ((m)&7u)
#define BC6_DELTAS(m)                          ((m) >> 3 & 1u)
#define BC6_PARTITION(m)                       ((m) >> 4 & 7u)
#define BC6_BITS(m)                            ((m) >> 7 & 31u)
#define BC6_RED(m)                             ((m) >> 12 & 15u)
#define BC6_GREEN(m)                           ((m) >> 16 & 15u)
#define BC6_BLUE(m)                            ((m) >> 20 & 15u)
#define BC6_FIELD(component, end, first, last) ((first) | (last) << 4 | (component) << 8 | (end) << 10)
#define BC6_FROM(f)                            ((f)&15u)
#define BC6_TO(f)                              ((f) >> 4 & 15u)
#define BC6_COMPONENT(f)                       ((f) >> 8 & 3u)
#define BC6_END(f)                             ((f) >> 10 & 3u)
#define BC6_NO_FIELD                           0xffffffffu
#define BC6_FIELDS                             25u
#define BC6_TWO                                77u /* where the partition lies, in blocks that have one */

/* A sampler: fields of three bits, but for the flags. */
#define SF_CLAMP(n)     (3u * (n))
#define SF_COMPARE      9u
#define SF_MAG          12u
#define SF_MIN          15u
#define SF_Z            18u
#define SF_MIP          21u
#define SF_REDUCTION    24u
#define SF_TRUNCATE     (1u << 27)
#define SF_UNNORMALIZED (1u << 28)
#define SF_ANISO        29u /* log2 of the most probes */

/* What a sample asks for. */
#define ASK_LOD(ask)       ((ask)&3u)
#define ASK_ZERO           0u
#define ASK_GIVEN          1u
#define ASK_DERIVED        2u
#define ASK_BIAS           4u
#define ASK_CLAMP          8u
#define ASK_COMPARE        16u
#define ASK_UNNORMALIZED   32u
#define ASK_COMPONENT(ask) ((ask) >> 6 & 3u)

/* What an access to the group's local memory does outside it. */
#define SHARE_REPORTS 0u
#define SHARE_MISSES  1u /* a fast module: it is run again */
#define SHARE_INSIDE  2u /* it is known not to be outside */

/* Status (binding 1). */
#define STATUS_COUNT        0u /* faults */
#define STATUS_STOP         1u /* not 0: a wave ran out of its budget, or met the host's word (P_STOP), and has told where; all end */
#define STATUS_CUT          2u  /* waves whose loops the host ended early: it gives an invocation so many rounds in all */
#define STATUS_ESCAPED      3u  /* not 0: some access lay outside a slot that says so */
#define STATUS_KINDS        4u  /* faults by enum wave_fault_kind */
#define STATUS_STRAY        29u /* not 0: a jump led to where the module has no code; or: */
#define STATUS_SCRATCH      2u  /* a lane's scratch did not lie where its base did */
#define STATUS_VIEWS        30u /* not 0: image operations met other descriptors than the host knew of; or: */
#define STATUS_NO_KEY       4u  /* metadata says what only the hardware knows */
#define STATUS_NO_TREE      2u  /* a ray's descriptor was no hierarchy's */
#define STATUS_MISSED       31u /* not 0: lanes of a fast module left their windows and did nothing; bits of binding 2 say which */
#define STATUS_RECORDS      32u /* kind, site, address (2), lane, group, wave, unused */
#define STATUS_RECORD_WORDS 8u
#define STATUS_MAX          64u
#define STATUS_WORDS        (STATUS_RECORDS + STATUS_MAX * STATUS_RECORD_WORDS)

/* Kinds of faults that modules tell of, as enum wave_fault_kind has them. */
#define KIND_READ              0u
#define KIND_WRITE             1u
#define KIND_READ_ONLY         2u
#define KIND_LDS_MISALIGNED    3u
#define KIND_LDS_RANGE         4u
#define KIND_ATOMIC_MISALIGNED 5u
#define KIND_HANG              12u

/* Told to rows on f32 together with MODE. */
#define M_NAN_ANY 0x80000000u /* nobody sees which NaN the result is */
#define M_ALIKE   0x40000000u /* the host flushes the results that MODE flushes */

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
#define A_CONDXCHG 22u
/* And one more. */
#define A_FADD_KEPT 63u /* A_FADD on a host whose own sums may lose denormals */

#endif
