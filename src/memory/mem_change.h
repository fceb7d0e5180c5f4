/* mem_change: one change of what is mapped, made ready whole before anything is done.
 *
 * Roles and owners:
 *   mem_change_set  the next snapshot in the making; on its maker's stack, while the space's lock is held; ends in commit and publish,
 *                   or in abandon.
 */
#ifndef MEMORY_MEM_CHANGE_H
#define MEMORY_MEM_CHANGE_H

#include "memory/mem_internal.h"

/* The most new watches that one change needs: an entry that is cut has two rests, and what is put between them. */
enum { MEM_CHANGE_WATCHES = 4 };

struct mem_change_set {
    struct mem_space *space;
    struct base_span span; /* entries that start in it are replaced by: */
    struct mem_entry *entries;
    size_t count, capacity;
    const struct mem_entry *last_cut;
    struct mem_tenant *leaving, *spares;
    size_t leaving_count;
    struct mem_watch *fresh[MEM_CHANGE_WATCHES];
    size_t fresh_count;
    bool out_of_memory; /* nothing more is done, and commit fails */
};

/* What the newest snapshot shows in span goes; when `only` is not NULL, only what belongs to its mapping. */
void mem_change_cut(struct mem_change_set *set, struct base_span span, const struct mem_entry *only);
/* Something new, where nothing is or was cut. With a host address outside the window, it gets a watch. */
void mem_change_put(struct mem_change_set *set, struct mem_entry entry, struct base_span span);
/* The new snapshot, not yet in place; NULL when out of memory: the set is then to be abandoned. */
struct mem_snapshot *mem_change_commit(struct mem_change_set *set);
/* Puts it in place. The set is done with. */
void mem_change_publish(struct mem_change_set *set, struct mem_snapshot *newer);
void mem_change_abandon(struct mem_change_set *set);

#endif
