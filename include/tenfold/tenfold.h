/* Tenfold: a virtual AMD GPU of the gfx10 generation.
 *
 * This header brings in the whole public interface, version 0:
 *
 *   tenfold/error.h     how calls fail
 *   tenfold/gpu.h       virtual GPUs, chips, host devices
 *   tenfold/memory.h    the guest's memory
 *   tenfold/object.h    code objects, kernels and their arguments
 *   tenfold/dispatch.h  running a kernel
 *   tenfold/queue.h     submitting command buffers
 *   tenfold/report.h    what a run did
 *   tenfold/signal.h    living with the handlers for SIGSEGV and SIGBUS
 *
 * Rules that hold everywhere:
 *
 *   Structures that the caller fills in begin with their own size (`.size = sizeof options`), so that later versions can add
 *   members at the end; zeroed members mean "the default". Handles are opaque. Whoever creates a thing destroys it, with the function
 *   of that name; destroying NULL is fine. Text is UTF-8 and zero-terminated. Sizes and offsets are bytes unless a name says else.
 *   Guest addresses are uint64_t. A function that can fail returns enum tf_status and takes a struct tf_error, or NULL, that it
 *   fills in when it fails; outputs are untouched then, unless said otherwise.
 */
#ifndef TENFOLD_TENFOLD_H
#define TENFOLD_TENFOLD_H

#include <tenfold/dispatch.h>
#include <tenfold/error.h>
#include <tenfold/gpu.h>
#include <tenfold/memory.h>
#include <tenfold/object.h>
#include <tenfold/queue.h>
#include <tenfold/report.h>
#include <tenfold/signal.h>

#endif
