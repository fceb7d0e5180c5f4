/* cp_report: what went wrong in a ring, said once for each place. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cp/cp_internal.h"

enum { REASON_TEXT = 512 };

void cp_ring_place(const struct cp_ring *ring, char *text, size_t size)
{
    int used = snprintf(text, size, "queue '%s', submission %" PRIu64, ring->record->name, ring->work ? ring->work->number : 0);
    if (ring->ib && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ", buffer %#" PRIx64, ring->ib->address);
    if (ring->ib && ring->packet_name && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " word %u, %s", ring->at, ring->packet_name);
}

/* Counts an event; true when its key is new: text is kept then. */
static bool add_site(struct cp_gpu *gpu, struct cp_sites *sites, const char *kind, const char *key, const char *text)
{
    bool known = false;
    pthread_mutex_lock(&gpu->lock);
    for (size_t n = 0; n < sites->count && !known; n++) {
        known = strcmp(sites->sites[n].kind, kind) == 0 && strcmp(sites->sites[n].key, key) == 0;
        sites->sites[n].times += known;
    }
    bool fits = sites->count < CP_REFUSALS;
    if (!known && fits) {
        struct cp_site site = {strdup(text), strdup(key), kind, 1};
        if (site.text && site.key) {
            sites->sites[sites->count++] = site;
        } else {
            free(site.text);
            free(site.key);
        }
    }
    sites->left_out += !known && !fits;
    pthread_mutex_unlock(&gpu->lock);
    return !known && fits;
}

static void note(struct cp_gpu *gpu, const char *kind, const char *key, const char *text)
{
    atomic_store(&gpu->failed, true);
    if (add_site(gpu, &gpu->problems, kind, key, text))
        cp_gpu_log(gpu, true, text);
}

bool cp_ring_lose(struct cp_ring *ring, const char *format, ...)
{
    char place[CP_PLACE_TEXT], reason[REASON_TEXT], text[CP_LOST_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    cp_ring_place(ring, place, sizeof place);
    snprintf(text, sizeof text, "%s: %s; the queue is lost", place, reason);
    pthread_mutex_lock(&ring->record->lock);
    bool first = !ring->record->lost_text[0];
    if (first)
        memcpy(ring->record->lost_text, text, sizeof text);
    pthread_mutex_unlock(&ring->record->lock);
    atomic_store(&ring->lost, true);
    if (!first)
        return false;
    if (atomic_load(&ring->stop)) /* its owner gave it up: nobody's failure */
        cp_gpu_log(ring->gpu, false, text);
    else
        note(ring->gpu, "lost", text, text);
    return false;
}

void cp_ring_refuse(struct cp_ring *ring, const char *format, ...)
{
    char place[CP_PLACE_TEXT], reason[REASON_TEXT], key[REASON_TEXT + 64], text[CP_LOST_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    cp_ring_place(ring, place, sizeof place);
    snprintf(key, sizeof key, "%s %s", ring->packet_name ? ring->packet_name : "", reason);
    snprintf(text, sizeof text, "%s: %s; left out", place, reason);
    note(ring->gpu, "unsupported", key, text);
}

void cp_ring_fault(struct cp_ring *ring, enum cp_fault fault, uint64_t address)
{
    static const char *const names[] = {
        [CP_FAULT_READ] = "read", [CP_FAULT_WRITE] = "write", [CP_FAULT_ATOMIC] = "atomic", [CP_FAULT_GDS] = "GDS access"};
    const char *what = names[fault];
    char place[CP_PLACE_TEXT], key[128], text[CP_LOST_TEXT];
    if (ring->faulted & 1u << fault)
        return;
    ring->faulted |= 1u << fault;
    cp_ring_place(ring, place, sizeof place);
    snprintf(key, sizeof key, "%s %s", ring->packet_name ? ring->packet_name : "", what);
    snprintf(text, sizeof text, "%s: %s at %#" PRIx64 ", which is not mapped (or not for that)", place, what, address);
    note(ring->gpu, "fault", key, text);
}

void cp_ring_failed_dispatch(struct cp_ring *ring, uint64_t program, const char *reason)
{
    char place[CP_PLACE_TEXT], key[64], text[CP_LOST_TEXT];
    cp_ring_place(ring, place, sizeof place);
    snprintf(key, sizeof key, "%#" PRIx64, program);
    snprintf(text, sizeof text, "%s, program %#" PRIx64 ": %s", place, program, reason);
    note(ring->gpu, "dispatch", key, text);
}
