/* Types and words of the lane library: what the rows of ir_ops.def are written in, read as GLSL. A float is its bits here (f32 a
 * uint, f64 a uint64_t): only the functions that calculate look at it as a float, so that no NaN is touched on its way. */
#define u32 uint
#define i32 int
#define u64 uint64_t
#define i64 int64_t
#define U32 const uint
#define U64 const uint64_t

#define K64(hi, lo) ((u64(hi) << 32) | u64(lo))
#define ONE64 (u64(1u))

/* Zero, which no compiler knows. */
u32 nought;

u64 pair64(U32 low, U32 high) { return packUint2x32(uvec2(low, high)); }
uvec2 words64(U64 x) { return unpackUint2x32(x); }
double as_f64(U64 x) { return packDouble2x32(unpackUint2x32(x)); }
u64 as_u64(const double x) { return packUint2x32(unpackDouble2x32(x)); }
float as_f32(U32 x) { return uintBitsToFloat(x); }
u32 as_u32(const float x) { return floatBitsToUint(x); }

u32 clz32(U32 x) { return x == 0u ? 32u : u32(31 - findMSB(x)); }
u32 clz64(U64 x) { u32 high = unpackUint2x32(x).y; return high != 0u ? clz32(high) : 32u + clz32(unpackUint2x32(x).x); }

/* MODE's fields. */
#define ROUND32(m) ((m) & 3u)
#define ROUND64(m) ((m) >> 2 & 3u)
#define KEEP32_IN(m) (((m) & 0x10u) != 0u)
#define KEEP32_OUT(m) (((m) & 0x20u) != 0u)
#define KEEP64_IN(m) (((m) & 0x40u) != 0u)
#define KEEP64_OUT(m) (((m) & 0x80u) != 0u)
#define DX10(m) (((m) & 0x100u) != 0u)
#define IEEE(m) (((m) & 0x200u) != 0u)
#define ALIKE(m) (((m) & M_ALIKE) != 0u) /* nor is this */
#define NAN_ANY(m) (((m) & M_NAN_ANY) != 0u) /* not the guest's: the emitter knows that nobody sees which NaN this is */
