/* base_descriptor: descriptors of our own in somebody else's process: out of the program's way, and never mistaken for what the program
 * has put in their place. */
#ifndef BASE_BASE_DESCRIPTOR_H
#define BASE_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <sys/types.h>

/* Moves a descriptor to a high number (closed on exec), where programs that count theirs do not meet it; the old number is
 * closed. Returns the new one, or the old one where there is no room. */
int base_descriptor_hide(int descriptor);

/* Which file a descriptor names. */
struct base_identity {
    dev_t device;
    ino_t inode;
};

bool base_descriptor_identify(int descriptor, struct base_identity *identity);
static inline bool base_identity_same(struct base_identity a, struct base_identity b)
{
    return a.device == b.device && a.inode == b.inode;
}
/* Closes a descriptor if it still names that file: a program may have closed it and be using the number for something else. */
void base_descriptor_close(int descriptor, struct base_identity identity);

#endif
