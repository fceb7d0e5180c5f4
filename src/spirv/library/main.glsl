/* The lane library as a whole: the functions that translated programs call. Only their bodies are used, not its entry point. */
#include "spirv/spirv_layout.h"
#include "words.glsl"
#include "bits.glsl"
#include "float32.glsl"
#include "float64.glsl"
#include "float16.glsl"
#include "shared_words.def"
#include "rows.glsl"
#include "memory.glsl"
#include "atomics.glsl"
#include "narrow.glsl"
#include "entry.glsl"
#include "windows.glsl"
#include "format.glsl"
#include "image.glsl"
#include "image_sample.glsl"

void main() {}
