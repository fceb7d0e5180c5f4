/* cp_draw: draws, which are refused by name for now, and what their packets leave behind for them. */
#include "cp/cp_internal.h"

/* Read by draws only. */
bool cp_draw_state(struct cp_ring *ring, const struct pm4_packet *packet)
{
    (void)ring;
    (void)packet;
    return true;
}

/* The ring goes on: what does not depend on the picture is still right, and the work counts as failed. */
bool cp_draw_refuse(struct cp_ring *ring, const struct pm4_packet *packet)
{
    (void)packet;
    ring->now.draws++;
    cp_ring_refuse(ring, "graphics is not supported");
    return true;
}
