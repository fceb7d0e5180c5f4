/* submit_queue: the works of one ring, in order, between its callers and its command processor. */
#include <sched.h>

#include "submit/submit.h"

/* How long a command processor looks for work before it sleeps: longer than a caller needs from one submission to the next in a
 * loop of "submit, wait", much shorter than a time slice. */
static const uint64_t spin_ns = 50000;

void submit_queue_init(struct submit_queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
}

void submit_queue_finish(struct submit_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
}

void submit_queue_push(struct submit_queue *queue, struct submit_work *work)
{
    pthread_mutex_lock(&queue->lock);
    work->number = ++queue->pushed;
    work->next = NULL;
    if (queue->last)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
    queue->caller = sched_getcpu();
    pthread_mutex_unlock(&queue->lock);
    submit_bell_ring(&queue->filled);
}

static struct submit_work *look(struct submit_queue *queue, bool *closed, int *caller)
{
    pthread_mutex_lock(&queue->lock);
    struct submit_work *first = queue->first;
    *closed = queue->closed;
    *caller = queue->caller;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

struct submit_work *submit_queue_front(struct submit_queue *queue)
{
    bool closed;
    int caller;
    for (;;) {
        uint32_t seen = submit_bell_look(&queue->filled);
        struct submit_work *first = look(queue, &closed, &caller);
        if (first || closed)
            return first;
        /* On a busy host the caller may be waiting for this very processor: spinning would only keep it from it. */
        if (caller == sched_getcpu() || !submit_bell_spin(&queue->filled, seen, spin_ns))
            submit_bell_sleep(&queue->filled, seen, SUBMIT_FOREVER);
    }
}

void submit_queue_pop(struct submit_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->first = queue->first->next;
    bool empty = !queue->first;
    if (empty)
        queue->last = NULL;
    pthread_mutex_unlock(&queue->lock);
    if (empty)
        submit_bell_ring(&queue->emptied);
}

void submit_queue_close(struct submit_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_mutex_unlock(&queue->lock);
    submit_bell_ring(&queue->filled);
}

bool submit_queue_drain(struct submit_queue *queue, uint64_t deadline)
{
    bool closed;
    int caller;
    for (;;) {
        uint32_t seen = submit_bell_look(&queue->emptied);
        if (!look(queue, &closed, &caller))
            return true;
        if (!submit_bell_sleep(&queue->emptied, seen, deadline))
            return !look(queue, &closed, &caller);
    }
}
