/* submit_state: a ring's registers, by offset, and the packets that do no more than set them. */
#include "submit/submit_state.h"

#include <string.h>

static uint32_t *space_words(struct submit_state *state, enum pm4_space space)
{
    switch (space) {
    case PM4_SPACE_CONTEXT: return state->context;
    case PM4_SPACE_SH: return state->sh;
    case PM4_SPACE_UCONFIG: return state->uconfig;
    case PM4_SPACE_CONFIG: return state->config;
    case PM4_SPACE_NONE:
    case PM4_SPACE_COUNT: break;
    }
    return NULL;
}

uint32_t *submit_state_register(struct submit_state *state, uint32_t offset)
{
    for (unsigned space = PM4_SPACE_NONE + 1; space < PM4_SPACE_COUNT; space++) {
        struct pm4_space_place place = pm4_space_place((enum pm4_space)space);
        if (offset >= place.first && offset - place.first < place.count)
            return space_words(state, (enum pm4_space)space) + (offset - place.first);
    }
    return NULL;
}

uint32_t submit_state_get(const struct submit_state *state, uint32_t offset)
{
    if (offset >= PM4_SH_FIRST && offset < PM4_SH_FIRST + PM4_SH_COUNT)
        return state->sh[offset - PM4_SH_FIRST];
    if (offset >= PM4_CONTEXT_FIRST && offset < PM4_CONTEXT_FIRST + PM4_CONTEXT_COUNT)
        return state->context[offset - PM4_CONTEXT_FIRST];
    if (offset >= PM4_UCONFIG_FIRST && offset < PM4_UCONFIG_FIRST + PM4_UCONFIG_COUNT)
        return state->uconfig[offset - PM4_UCONFIG_FIRST];
    return offset >= PM4_CONFIG_FIRST && offset < PM4_CONFIG_FIRST + PM4_CONFIG_COUNT ? state->config[offset - PM4_CONFIG_FIRST]
                                                                                      : 0;
}

bool submit_state_set(struct submit_state *state, const struct pm4_packet *packet)
{
    struct pm4_set set;
    if (!pm4_packet_sets(packet, &set))
        return false;
    uint32_t *words = space_words(state, set.space);
    if (!words)
        return false;
    memcpy(words + (set.offset - pm4_space_place(set.space).first), set.values, set.count * sizeof *words);
    return true;
}

void submit_state_clear(struct submit_state *state)
{
    memset(state->context, 0, sizeof state->context);
}
