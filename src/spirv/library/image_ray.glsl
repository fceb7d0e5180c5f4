/* One step of a ray through a bounding volume hierarchy, as image/image_bvh.c has it. Nodes are searched for like global memory: a descriptor may
 * show all of it. Divisions are the host's, which may be off by a few units in the last place. */
#define NODE_WORDS 32u
#define NODE_BOX_F16 4u
#define NODE_BOX_F32 5u
#define NODE_USER 6u
#define NODE_CHILDREN 4u
#define NODE_ID 15u
#define NOTHING 0xffffffffu
#define INFINITE 0x7f800000u

bool is_lost(const float x) { return (as_u32(x) & 0x7fffffffu) > INFINITE; }
/* The other one where one is a NaN. */
float lesser(const float a, const float b) { return is_lost(a) ? b : is_lost(b) ? a : b < a ? b : a; }
float greater(const float a, const float b) { return is_lost(a) ? b : is_lost(b) ? a : b > a ? b : a; }

/* ---- boxes ---- */

float box_float(const u32 node[NODE_WORDS], const bool halves, U32 at)
{
    return as_f32(halves ? widen_half(node[NODE_CHILDREN + (at >> 1)] >> (16u * (at & 1u)) & 0xffffu) : node[NODE_CHILDREN + at]);
}
/* Where the ray enters the box, a distance as its bits; infinity: it does not. grow: units in the last place that boxes are deeper by. */
u32 box_entry(const u32 node[NODE_WORDS], const bool halves, U32 child, const vec3 origin, const vec3 inverse, const float extent, U32 grow)
{
    float enter = 0.0, leave = as_f32(INFINITE);
    bool lost = false;
    [[dont_unroll]] for (u32 n = 0u; n < 3u; n++) {
        float least = box_float(node, halves, 6u * child + n), most = box_float(node, halves, 6u * child + n + 3u);
        float from = n == 0u ? origin.x : n == 1u ? origin.y : origin.z, over = n == 0u ? inverse.x : n == 1u ? inverse.y : inverse.z;
        precise float a = least - from, b = most - from;
        a *= over;
        b *= over;
        lost = lost || is_lost(least) || is_lost(most);
        enter = greater(enter, lesser(a, b));
        leave = lesser(leave, greater(a, b));
    }
    u32 grown = as_u32(leave) + (leave > 0.0 && as_u32(leave) < INFINITE ? grow : 0u);
    return !lost && enter <= lesser(as_f32(grown), extent) ? as_u32(enter) : INFINITE;
}
/* Children that are met, in the order of the node or by distance; those missed come last when sorted. */
uvec4 boxes_met(const u32 node[NODE_WORDS], const bool halves, const vec3 origin, const vec3 inverse, const float extent, U32 grow, const bool sorts)
{
    uvec4 entries = uvec4(0u), r = uvec4(0u);
    [[dont_unroll]] for (u32 i = 0u; i < 4u; i++)
        entries = with_word(entries, i, box_entry(node, halves, i, origin, inverse, extent, grow) & 0x7fffffffu);
    [[dont_unroll]] for (u32 i = 0u; i < 4u; i++) {
        u32 own = word_at(entries, i), before = 0u;
        [[unroll]] for (u32 n = 0u; n < 4u; n++) /* distances are none below 0: their bits are in their order */
            before += entries[n] < own || (entries[n] == own && n < i) ? 1u : 0u;
        r = with_word(r, sorts ? before : i, own < INFINITE ? node[i] : NOTHING);
    }
    return r;
}

/* ---- triangles ---- */

float along_axis(const vec3 v, U32 n) { return n == 0u ? v.x : n == 1u ? v.y : v.z; }
vec3 vertex_of(const u32 node[NODE_WORDS], U32 n) { return vec3(as_f32(node[3u * n]), as_f32(node[3u * n + 1u]), as_f32(node[3u * n + 2u])); }
/* Towards the ray: x and y across it, z its fraction. k: the axes in that order. No vector: hosts without doubles have no type for it. */
struct seen { double x, y, z; };
seen seen_by_ray(const vec3 vertex, const vec3 origin, const uvec3 k, const vec3 shear)
{
    precise float depth = along_axis(vertex, k.z) - along_axis(origin, k.z);
    precise vec2 across = vec2(along_axis(vertex, k.x), along_axis(vertex, k.y)) - vec2(along_axis(origin, k.x), along_axis(origin, k.y));
    precise vec2 sheared = shear.xy * depth;
    across -= sheared;
    precise float fraction = depth / shear.z;
    return seen(double(across.x), double(across.y), double(fraction));
}
double area_of(const seen a, const seen b)
{
    precise double one = a.x * b.y, other = a.y * b.x;
    precise double r = one - other;
    return r;
}
uvec4 triangle_met(const u32 node[NODE_WORDS], U32 type, const vec3 origin, const vec3 direction, const bool weights)
{
    const u32 vertices = type == 0u ? 0x210u : type == 1u ? 0x231u : type == 2u ? 0x432u : 0x042u;
    uvec3 k = uvec3(1u, 2u, 0u);
    k = abs(direction.y) > abs(direction.x) ? uvec3(2u, 0u, 1u) : k;
    k = abs(direction.z) > abs(along_axis(direction, k.z)) ? uvec3(0u, 1u, 2u) : k;
    k = along_axis(direction, k.z) < 0.0 ? k.yxz : k;
    float forward = along_axis(direction, k.z);
    precise vec3 shear = vec3(along_axis(direction, k.x) / forward, along_axis(direction, k.y) / forward, forward);
    seen v0 = seen_by_ray(vertex_of(node, vertices & 15u), origin, k, shear), v1 = seen_by_ray(vertex_of(node, vertices >> 4 & 15u), origin, k, shear),
          v2 = seen_by_ray(vertex_of(node, vertices >> 8), origin, k, shear);
    double w0 = area_of(v2, v1), w1 = area_of(v0, v2), w2 = area_of(v1, v0);
    precise double denominator = w0 + w1;
    denominator += w2;
    precise double part0 = w0 * v0.z, part1 = w1 * v1.z, part2 = w2 * v2.z;
    precise double distance_ = part0 + part1;
    distance_ += part2;
    const double none = double(0.0);
    bool front = w0 >= none && w1 >= none && w2 >= none, back = w0 <= none && w1 <= none && w2 <= none;
    bool met = (front && denominator > none && distance_ >= none) || (back && denominator < none && distance_ <= none);
    u32 id = node[NODE_ID], order = id >> (8u * type);
    uvec4 r = uvec4(INFINITE, 0x3f800000u, 0u, 0u);
    if (met) {
        u32 first = (order & 3u) % 3u, second = (order >> 2 & 3u) % 3u;
        r = uvec4(as_u32(float(distance_)), as_u32(float(denominator)), as_u32(float(first == 0u ? w0 : first == 1u ? w1 : w2)),
                  as_u32(float(second == 0u ? w0 : second == 1u ? w1 : w2)));
    }
    if (!weights)
        r.zw = uvec2(id, met ? 1u : 0u);
    return r;
}

/* ---- nodes ---- */

/* False, and reported, where a part is not mapped. */
bool node_load(U64 at, U32 count, U32 site, U32 lane, out u32 node[NODE_WORDS])
{
    spot s = spot(0ul, 0ul, 0u);
    bool there = true;
    [[dont_unroll]] for (u32 n = 0u; n < NODE_WORDS; n++)
        node[n] = 0u;
    [[dont_unroll]] for (u32 n = 0u; n < count && there; n++) {
        if (s.room < u64(4u))
            s = find(at + u64(4u * n), NO_HINT);
        there = s.room >= u64(4u);
        if (!there)
            report(KIND_READ, site, lane, at + u64(4u * n));
        else if (!discards(s) && (u32(s.device) & 3u) == 0u)
            node[n] = Word(s.device).v;
        else if (!discards(s))
            node[n] = u32(Byte(s.device).v) | u32(Byte(s.device + u64(1u)).v) << 8 | u32(Byte(s.device + u64(2u)).v) << 16 |
                      u32(Byte(s.device + u64(3u)).v) << 24;
        s.device += u64(4u);
        s.room -= there ? u64(4u) : 0ul;
    }
    return there;
}
/* What is no hierarchy's descriptor is told, and nothing is done. */
uvec4 image_ray(const bool on, U32 d0, U32 d1, U32 d2, U32 d3, U32 low, U32 high, U32 extent, U32 ox, U32 oy, U32 oz, U32 dx, U32 dy, U32 dz, U32 ix,
                U32 iy, U32 iz, U32 site, U32 lane)
{
    uvec4 r = uvec4(0u);
    if (on && d3 >> 28 != 8u)
        atomicOr(status.w[STATUS_VIEWS], STATUS_NO_TREE);
    if (on && d3 >> 28 == 8u) {
        u64 unit = pair64(low, high) >> 3, units = pair64(d2, d3 & 0x3ffu) + u64(1u), base = pair64(d0, d1 & 0xffu) << 8;
        u32 type = low & 7u, nodes = type == NODE_BOX_F32 ? 2u : 1u, node[NODE_WORDS];
        vec3 origin = vec3(as_f32(ox), as_f32(oy), as_f32(oz));
        r = uvec4(NOTHING);
        if (type < NODE_USER && unit < units && units - unit >= u64(nodes) && node_load(base + unit * u64(64u), 16u * nodes, site, lane, node)) {
            if (type < NODE_BOX_F16)
                r = triangle_met(node, type, origin, vec3(as_f32(dx), as_f32(dy), as_f32(dz)), (d3 >> 24 & 1u) != 0u);
            else
                r = boxes_met(node, type == NODE_BOX_F16, origin, vec3(as_f32(ix), as_f32(iy), as_f32(iz)), as_f32(extent), d1 >> 23 & 255u, d1 >> 31 != 0u);
        }
    }
    return r;
}
