/* shim_descriptor: descriptors of the device's own, kept out of the program's way. */
#ifndef SHIM_SHIM_DESCRIPTOR_H
#define SHIM_SHIM_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Moves a descriptor to a high number (closed on exec), where programs that count theirs do not meet it; the old number is
 * closed. Returns the new one, or the old one where there is no room. */
int shim_descriptor_hide(int descriptor);
/* A memory file of so many bytes, closed on exec, that can be sealed; hidden. -errno when the host refuses. */
int shim_descriptor_memory(const char *name, uint64_t bytes);

/* Which file a descriptor names. */
struct shim_identity {
    dev_t device;
    ino_t inode;
};

bool shim_descriptor_identify(int descriptor, struct shim_identity *identity);
static inline bool shim_identity_same(struct shim_identity a, struct shim_identity b)
{
    return a.device == b.device && a.inode == b.inode;
}
/* Closes a descriptor if it still names that file: a program may have closed it and be using the number for something else. */
void shim_descriptor_close(int descriptor, struct shim_identity identity);

#endif
