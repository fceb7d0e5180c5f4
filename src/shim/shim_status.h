/* shim_status: the run's status file, shared by `tenfold run` and every process of the run. */
#ifndef SHIM_SHIM_STATUS_H
#define SHIM_SHIM_STATUS_H

#include <stdatomic.h>
#include <stdint.h>

/* As it lies in the file; zeroed at the start. Counters only grow. */
struct shim_status {
    _Atomic uint32_t used;      /* processes that used the node */
    _Atomic uint32_t failed;    /* processes whose GPU work failed */
    _Atomic uint32_t report;    /* the process that writes the report's file of that very name; 0: none yet */
    _Atomic uint32_t capture;   /* likewise */
    _Atomic uint32_t lost;      /* submissions that were lost */
    _Atomic uint32_t unwritten; /* captures and reports that could not be written, or not to their end */
};

#endif
