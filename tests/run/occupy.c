/* occupy: loaded before a program, takes a page where the GPU's addresses usually begin, so that they begin elsewhere. */
#include <sys/mman.h>

__attribute__((constructor)) static void occupy(void)
{
    mmap((void *)0x500000100000, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}
