/* shim_tree: the run's folder: the files that stand for the node, and the run's status. */
#ifndef SHIM_SHIM_TREE_H
#define SHIM_SHIM_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "shim/shim_chip.h"
#include "shim/shim_status.h"

/* A private folder for a run on such a chip, with its files; its path goes to `path`. False with errno set. This process holds a lock
 * on it until it ends, or removes it. */
bool shim_tree_create(const struct shim_chip *chip, char *path, size_t path_bytes);
/* Removes it with everything in it. */
void shim_tree_remove(const char *path);
/* Removes folders of this user's that runs which were killed left behind. */
void shim_tree_clean(void);
/* The run's status, mapped; NULL when that fails. Unmapped with munmap of its size. */
struct shim_status *shim_tree_status(const char *path);

#endif
