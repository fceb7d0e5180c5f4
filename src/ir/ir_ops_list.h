/* Maps every row form of ir_ops.def onto IR_OP(name, class, flags, dst count, src count, {dst types}, {src types}). No guard:
 * included wherever a list of all ops is wanted. */
#define D0() {0}
#define D(a) {IR_T_##a}
#define D2(a, b) {IR_T_##a, IR_T_##b}
#define S0T() {0}
#define S1T(a) {IR_T_##a}
#define S2T(a, b) {IR_T_##a, IR_T_##b}
#define S3T(a, b, c) {IR_T_##a, IR_T_##b, IR_T_##c}
#define S6T() {0}
#define V1(name, R, A, flags, ...) IR_OP(name, IR_C_VALUE, (flags) | IR_F_VECTOR, 1, 1, {IR_T_##R}, {IR_T_##A})
#define V2(name, R, A, B, flags, ...) IR_OP(name, IR_C_VALUE, (flags) | IR_F_VECTOR, 1, 2, {IR_T_##R}, {IR_T_##A, IR_T_##B})
#define V3(name, R, A, B, C, flags, ...) IR_OP(name, IR_C_VALUE, (flags) | IR_F_VECTOR, 1, 3, {IR_T_##R}, {IR_T_##A, IR_T_##B, IR_T_##C})
#define S1(name, R, A, flags, ...) IR_OP(name, IR_C_VALUE, flags, 1, 1, {IR_T_##R}, {IR_T_##A})
#define S2(name, R, A, B, flags, ...) IR_OP(name, IR_C_VALUE, flags, 1, 2, {IR_T_##R}, {IR_T_##A, IR_T_##B})
#define S3(name, R, A, B, C, flags, ...) IR_OP(name, IR_C_VALUE, flags, 1, 3, {IR_T_##R}, {IR_T_##A, IR_T_##B, IR_T_##C})
#define S4(name, R, A, B, C, D, flags, ...) IR_OP(name, IR_C_VALUE, flags, 1, 4, {IR_T_##R}, {IR_T_##A, IR_T_##B, IR_T_##C, IR_T_##D})
#define FV1(name, T, flags, check, ...) IR_OP(name, IR_C_VALUE, (flags) | IR_F_VECTOR, 1, 1, {IR_T_##T}, {IR_T_##T})
#define FV2(name, T, flags, check, ...) IR_OP(name, IR_C_VALUE, (flags) | IR_F_VECTOR, 1, 2, {IR_T_##T}, {IR_T_##T, IR_T_##T})
#define FV3(name, T, flags, check, ...) IR_OP(name, IR_C_VALUE, (flags) | IR_F_VECTOR, 1, 3, {IR_T_##T}, {IR_T_##T, IR_T_##T, IR_T_##T})
#define C1(name, A, flags, ...) IR_OP(name, IR_C_COMPARE, flags, 1, 1, {IR_T_mask}, {IR_T_##A})
#define C2(name, A, B, flags, ...) IR_OP(name, IR_C_COMPARE, (flags) | IR_F_VECTOR, 1, 2, {IR_T_mask}, {IR_T_##A, IR_T_##B})
#define CS2(name, A, B, flags, ...) IR_OP(name, IR_C_COMPARE, flags, 1, 2, {IR_T_mask}, {IR_T_##A, IR_T_##B})
#define X(name, class, flags, ndst, nsrc, dst, src) IR_OP(name, class, flags, ndst, nsrc, dst, src)
#include "ir_ops.def"
#undef D0
#undef D
#undef D2
#undef S0T
#undef S1T
#undef S2T
#undef S3T
#undef S6T
#include "ir_ops_undef.h"
