/* shim_preload: the library that is loaded into every process of a run: functions of libc that know the node.
 *
 * Each function here has a name of libc's, looks at its arguments, and as a rule goes on to the next library's function of that
 * name (libc's, or another preloaded library's). What it looks at is cheap: a path's first letters, an ioctl's type, a flag of
 * mmap. Nothing is made before the node is used: no thread, no handler, no memory beyond this library's own. */
#ifndef SHIM_SHIM_PRELOAD_H
#define SHIM_SHIM_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "shim/shim.h"

#define SHIM_PRELOADED __attribute__((visibility("default")))

enum { SHIM_NODE_MAJOR = 226, SHIM_NODE_MINOR = 128 };

/* The next function of that name, found at the first call: dlsym works before any constructor has run. */
void *shim_preload_next(void *_Atomic *place, const char *name);
#define SHIM_NEXT(name)                                           \
    ({                                                            \
        static void *_Atomic next_place;                          \
        (__typeof__(&name))shim_preload_next(&next_place, #name); \
    })

/* The run's folder, or NULL when this process is of no run, or this thread looks for the host's own device. */
const char *shim_preload_run(void);
/* Whether this thread opens the host's own device for the core. */
bool shim_preload_is_aside(void);

enum { SHIM_PATH_BYTES = 4096 };

/* The path of the run's folder that a path of the node stands for, in `place`, or the path itself. */
const char *shim_preload_path(const char *path, char place[SHIM_PATH_BYTES]);
/* Whether what was found by stat or fstat is the node's file. */
bool shim_preload_is_node(dev_t device, ino_t inode);
bool shim_preload_is_node_descriptor(int descriptor);
/* How many bytes of a file are not the program's business: the last page of a shared buffer. */
uint64_t shim_preload_hidden(int descriptor, const struct stat *found);

/* The core, loaded now if it is not. NULL when it cannot be. */
const struct shim_entry *shim_preload_core(void);
/* The core if it is loaded. */
const struct shim_entry *shim_preload_core_look(void);

#endif
