// What shaders of images share. DIM: 1, 2, 3 dimensions, 4 a cube, 5, 6, 7 arrays of 1, 2 dimensions and of cubes.
// AT: of a place, what the dimension uses; GRAD: of a derivative; TEXEL: of the number of a texel.
#if DIM == 1
#define AT(v) (v).x
#define GRAD(v) (v).x
#define TEXEL(v) (v).x
#define OFFSET(x, y, z) (x)
#elif DIM == 2
#define AT(v) (v).xy
#define GRAD(v) (v).xy
#define TEXEL(v) (v).xy
#define OFFSET(x, y, z) ivec2(x, y)
#elif DIM == 3
#define AT(v) (v).xyz
#define GRAD(v) (v).xyz
#define TEXEL(v) (v).xyz
#define OFFSET(x, y, z) ivec3(x, y, z)
#elif DIM == 4
#define AT(v) (v).xyz
#define GRAD(v) (v).xyz
#define TEXEL(v) (v).xyz
#elif DIM == 5
#define AT(v) (v).xy
#define GRAD(v) (v).x
#define TEXEL(v) (v).xy
#define OFFSET(x, y, z) (x)
#elif DIM == 6
#define AT(v) (v).xyz
#define GRAD(v) (v).xy
#define TEXEL(v) (v).xyz
#define OFFSET(x, y, z) ivec2(x, y)
#elif DIM == 7
#define AT(v) (v).xyzw
#define GRAD(v) (v).xyz
#define TEXEL(v) (v).xyz
#endif
#define IS_CUBE (DIM == 4 || DIM == 7)

// What one invocation samples: where, how far apart neighbours are, level of detail, and what depth is compared with.
struct Place {
    vec4 at, dx, dy;
    float lod, reference, unused0, unused1;
};
