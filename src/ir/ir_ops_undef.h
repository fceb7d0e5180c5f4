/* Forgets the row forms of ir_ops.def after one expansion. No guard. */
#undef V1
#undef V2
#undef V3
#undef S1
#undef S2
#undef S3
#undef S4
#undef FV1
#undef FV2
#undef FV3
#undef C1
#undef C2
#undef CS2
#undef X
