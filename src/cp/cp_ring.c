/* cp_ring: a ring's life: its thread, its submissions one after the other, its end. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cp/cp_internal.h"

/* ---- the thread ---- */

static bool wait_for_fences(struct cp_ring *ring, const struct submit_work *work)
{
    for (size_t n = 0; n < work->wait_count; n++)
        if (!cp_wait_fence(ring, work->waits[n]))
            return false;
    return true;
}

static bool run_buffers(struct cp_ring *ring, const struct submit_work *work)
{
    for (size_t n = 0; n < work->ib_count; n++) {
        const struct submit_range *ib = &work->ibs[n];
        if (ib->bytes % sizeof(uint32_t))
            return cp_ring_lose(ring, "indirect buffer %#llx has %u bytes, no multiple of 4", (unsigned long long)ib->address,
                                ib->bytes);
        if (!cp_stream_run(ring, ib->address, ib->bytes / (uint32_t)sizeof(uint32_t)))
            return false;
    }
    return true;
}

/* What others may have done to memory meanwhile: the program on the host's cores, other rings. */
static void begin(struct cp_ring *ring, struct submit_work *work)
{
    const struct device_functions *device = ring->gpu->device->functions;
    ring->work = work;
    ring->packet_name = NULL;
    ring->level = 0;
    ring->jumps = 0;
    ring->walked = 0;
    ring->faulted = 0;
    ring->skip_to = 0;
    ring->distrusted = false;
    ring->predicate = (struct cp_predicate){0};
    atomic_fetch_add(&ring->gpu->code_epoch, 1);
    if (ring->gpu->options.memory_told)
        return;
    if (device->doubt)
        device->doubt(ring->gpu->device);
    else if (device->changed)
        device->changed(ring->gpu->device, DEVICE_EVERYTHING);
}

/* Memory is up to date before anybody can know that the work is done, or that it is lost. Where the host asks for what it looks at, it cannot
 * ask any more for what is mapped otherwise meanwhile. */
static void settle(struct cp_ring *ring, const struct submit_work *work)
{
    const struct device_functions *device = ring->gpu->device->functions;
    bool told = ring->gpu->options.memory_told;
    if (told && mem_snapshot_is_newest(work->snapshot))
        return;
    if (device->publish && !told)
        device->publish(ring->gpu->device, work->snapshot);
    else if (device->settle)
        device->settle(ring->gpu->device, work->snapshot, DEVICE_EVERYTHING);
}

static void end(struct cp_ring *ring, const struct submit_work *work)
{
    ring->packet_name = NULL;
    ring->faulted = 0;
    if (work->fence_address)
        cp_memory_write(ring, work->fence_address, &work->fence_value, sizeof work->fence_value);
}

/* A mapping that the submission was made with could not be put in its place: what it reads there nobody knows. */
static bool lose_memory(struct cp_ring *ring, const struct submit_work *work)
{
    uint64_t address;
    if (mem_snapshot_refused(work->snapshot, &address))
        return cp_ring_lose(ring, "the host refused the memory that is mapped at %#llx", (unsigned long long)address);
    return cp_ring_lose(ring, "the host refused memory that is mapped");
}

static bool carry_out(struct cp_ring *ring, struct submit_work *work)
{
    ring->work = work;
    ring->ib = NULL;
    ring->packet_name = NULL;
    if (atomic_load(&ring->stop))
        return cp_ring_lose(ring, "given up before it began");
    if (!wait_for_fences(ring, work))
        return false;
    submit_fence_begin(work->done);
    if (!mem_snapshot_settle(work->snapshot))
        return lose_memory(ring, work);
    begin(ring, work);
    bool done = run_buffers(ring, work);
    if (done)
        end(ring, work);
    settle(ring, work);
    return done;
}

static void retire(struct cp_ring *ring, struct submit_work *work, bool done)
{
    cp_count_add(done ? &ring->record->ended : &ring->record->lost, 1);
    ring->work = NULL;
    submit_ahead_finish(ring->gpu->device, work);
    mem_snapshot_release(work->snapshot); /* so that who waits for the end finds its memory free */
    work->snapshot = NULL;
    if (work->entry)
        submit_ledger_retire(&ring->gpu->ledger, work->entry);
    submit_fence_end(work->done, done ? SUBMIT_FENCE_DONE : SUBMIT_FENCE_LOST);
    submit_queue_pop(&ring->queue);
    submit_work_destroy(work);
    cp_memory_wake(ring->gpu);
}

static void *run(void *user)
{
    struct cp_ring *ring = user;
    struct submit_work *work;
    while ((work = submit_queue_front(&ring->queue))) {
        uint64_t start = submit_now();
        bool done = !atomic_load(&ring->lost) && carry_out(ring, work);
        uint64_t passed = submit_now() - start;
        cp_count_add(&ring->record->busy_ns, passed);
        cp_ring_keep_submission(ring, work->number, passed, done);
        retire(ring, work, done);
    }
    return NULL;
}

/* The process's signals are none of this thread's business, save those that guest memory raises. */
static bool start_thread_locked(struct cp_ring *ring)
{
    sigset_t ours, before;
    if (ring->started)
        return true;
    sigfillset(&ours);
    sigdelset(&ours, SIGSEGV);
    sigdelset(&ours, SIGBUS);
    sigdelset(&ours, SIGFPE);
    sigdelset(&ours, SIGILL);
    sigdelset(&ours, SIGTRAP);
    sigdelset(&ours, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &ours, &before);
    ring->started = pthread_create(&ring->thread, NULL, run, ring) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ring->started)
        pthread_setname_np(ring->thread, "tenfold-cp");
    return ring->started;
}

/* ---- the callers ---- */

struct cp_ring *cp_ring_create(struct cp_gpu *gpu, enum submit_ring kind, const char *name)
{
    struct cp_ring *ring = calloc(1, sizeof *ring);
    if (!ring)
        return NULL;
    ring->gpu = gpu;
    ring->kind = kind;
    ring->around = (struct submit_surroundings){gpu->options.apertures, gpu->options.gds, gpu->options.gds_bytes,
                                                gpu->options.timeout_s, &ring->stop};
    submit_queue_init(&ring->queue);
    pthread_mutex_init(&ring->start_lock, NULL);
    ring->record = cp_record_create(gpu, kind, name);
    bool ahead = gpu->device->functions->prepares_ahead;
    if (ahead)
        ring->shadow = calloc(1, sizeof *ring->shadow);
    if (!ring->record || (ahead && !ring->shadow)) {
        cp_ring_destroy(ring, 0);
        return NULL;
    }
    return ring;
}

void cp_ring_destroy(struct cp_ring *ring, uint64_t deadline)
{
    if (!ring)
        return;
    if (ring->started) {
        submit_queue_drain(&ring->queue, deadline);
        atomic_store(&ring->stop, true);
        submit_queue_close(&ring->queue);
        submit_bell_ring(&ring->gpu->written);
        pthread_join(ring->thread, NULL);
    }
    submit_queue_finish(&ring->queue);
    pthread_mutex_destroy(&ring->start_lock);
    free(ring->shadow);
    free(ring);
}

/* Works ahead and queues; start_lock is held. */
static bool queue_locked(struct cp_ring *ring, struct submit_work *work)
{
    if (!start_thread_locked(ring))
        return false;
    if (ring->shadow) {
        const struct submit_ahead_tools tools = {&ring->around, ring->gpu->device, &ring->gpu->ledger, ring->gpu->tracer};
        submit_ahead_walk(work, ring->shadow, &tools);
        work->entry = submit_ledger_enter(&ring->gpu->ledger, &work->writes);
        if (!work->entry)
            return false;
    }
    atomic_fetch_add_explicit(&ring->record->submissions, 1, memory_order_relaxed);
    submit_queue_push(&ring->queue, work);
    return true;
}

enum cp_submitted cp_ring_submit(struct cp_ring *ring, struct submit_request *request, struct submit_fence **done)
{
    request->ring = ring->kind;
    if (atomic_load(&ring->lost)) {
        mem_snapshot_release(request->snapshot);
        return CP_LOST;
    }
    struct submit_work *work = submit_work_create(request);
    if (!work)
        return CP_NO_MEMORY;
    submit_work_parse(work);
    struct submit_fence *fence = submit_fence_retain(work->done);
    pthread_mutex_lock(&ring->start_lock);
    bool queued = queue_locked(ring, work);
    pthread_mutex_unlock(&ring->start_lock);
    if (!queued) {
        submit_ahead_finish(ring->gpu->device, work);
        submit_work_destroy(work);
        submit_fence_release(fence);
        return CP_NO_MEMORY;
    }
    if (done)
        *done = fence;
    else
        submit_fence_release(fence);
    return CP_SUBMITTED;
}

bool cp_ring_lost(const struct cp_ring *ring, char *text, size_t size)
{
    bool lost = atomic_load(&ring->lost);
    if (text && size) {
        pthread_mutex_lock(&ring->record->lock);
        snprintf(text, size, "%s", ring->record->lost_text);
        pthread_mutex_unlock(&ring->record->lock);
    }
    return lost;
}
