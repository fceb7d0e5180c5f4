/* tenfold/signal.h: living with Tenfold's handlers for SIGSEGV and SIGBUS.
 *
 * While the process has a GPU, Tenfold handles these two signals, to mend host faults inside guest memory: a file mapped with
 * tf_memory_map_file that became shorter, memory given to tf_memory_map that is gone. Signals that have nothing to do with guest memory
 * reach whoever handled them before. A handler that the program installs later with sigaction gets them likewise, once Tenfold has
 * noticed it (at the next mapping or submission); whoever stands in front of sigaction, or wants it at once, uses tf_signal_action. */
#ifndef TENFOLD_SIGNAL_H
#define TENFOLD_SIGNAL_H

#include <stdbool.h>

#include <tenfold/gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sigaction; /* of <signal.h> */

/* As sigaction() for SIGSEGV and SIGBUS while Tenfold's handlers are installed: sets (action not NULL) and tells (old not NULL) what
 * becomes of the signals that are not Tenfold's. False, and nothing done, when Tenfold does not handle that signal now: the caller then
 * calls sigaction itself. It may be called in a signal handler. */
TF_API bool tf_signal_action(int number, const struct sigaction *action, struct sigaction *old);

#ifdef __cplusplus
}
#endif

#endif
