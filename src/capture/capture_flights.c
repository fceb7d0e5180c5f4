/* capture_flights: the recorder's submissions in flight: waiting for them within bounds, and the order of their ends. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base_clock.h"
#include "capture/capture_format.h"
#include "capture/capture_recorder.h"

struct capture_order *capture_order_create(void)
{
    struct capture_order *order = calloc(1, sizeof *order);
    if (order)
        atomic_init(&order->owners, 1);
    return order;
}

void capture_order_release(struct capture_order *order)
{
    if (order && atomic_fetch_sub(&order->owners, 1) == 1)
        free(order);
}

static void flight_release(struct capture_flight *flight)
{
    if (atomic_fetch_sub(&flight->owners, 1) != 1)
        return;
    capture_order_release(flight->order);
    free(flight);
}

/* On whatever thread ends the fence. */
static void ended(void *user, enum tf_fence_state state)
{
    struct capture_flight *flight = user;
    (void)state;
    atomic_store(&flight->ended_as, atomic_fetch_add(&flight->order->ends, 1) + 1);
    flight_release(flight);
}

static bool grow(struct capture_recorder *recorder)
{
    if (recorder->flight_count < recorder->flight_capacity)
        return true;
    size_t capacity = recorder->flight_capacity ? recorder->flight_capacity * 2 : 16;
    struct capture_flight **grown = realloc(recorder->flights, capacity * sizeof(struct capture_flight *));
    if (!grown)
        return false;
    recorder->flights = grown;
    recorder->flight_capacity = capacity;
    return true;
}

bool capture_flights_add(struct capture_recorder *recorder, uint32_t number, struct tf_fence *fence)
{
    struct capture_flight *flight = grow(recorder) ? calloc(1, sizeof *flight) : NULL;
    if (!flight)
        return false;
    atomic_init(&flight->owners, 2);
    atomic_fetch_add(&recorder->order->owners, 1);
    flight->order = recorder->order;
    flight->number = number;
    flight->fence = tf_fence_retain(fence);
    recorder->flights[recorder->flight_count++] = flight;
    recorder->has_worked = true;
    if (!tf_fence_notify(fence, ended, flight))
        flight_release(flight); /* never called: the end is found by looking */
    return true;
}

static void put_clocks(struct capture_recorder *recorder)
{
    pthread_mutex_lock(&recorder->clock_lock);
    if (recorder->clocks.size) {
        capture_pack_reset(&recorder->payload);
        capture_pack_u32(&recorder->payload, (uint32_t)(recorder->clocks.size / CAPTURE_CLOCK_BYTES));
        capture_pack_u32(&recorder->payload, recorder->lost_clocks > UINT32_MAX ? UINT32_MAX : (uint32_t)recorder->lost_clocks);
        capture_pack_bytes(&recorder->payload, recorder->clocks.data, recorder->clocks.size);
        capture_writer_put(recorder->writer, CAPTURE_CHUNK_CLOCK, &recorder->payload);
        capture_pack_reset(&recorder->clocks);
        recorder->lost_clocks = 0;
    }
    pthread_mutex_unlock(&recorder->clock_lock);
}

static void put_ended(struct capture_recorder *recorder, struct capture_flight *flight)
{
    capture_pack_reset(&recorder->payload);
    capture_pack_u32(&recorder->payload, flight->number);
    capture_pack_u32(&recorder->payload, tf_fence_state(flight->fence));
    capture_writer_put(recorder->writer, CAPTURE_CHUNK_ENDED, &recorder->payload);
    tf_fence_release(flight->fence);
    flight_release(flight);
}

/* The flight that ended first among those that are there, or NULL. */
static struct capture_flight **first_ended(struct capture_recorder *recorder)
{
    struct capture_flight **first = NULL;
    unsigned long long best = 0;
    for (size_t n = 0; n < recorder->flight_count; n++) {
        if (tf_fence_state(recorder->flights[n]->fence) == TF_FENCE_PENDING)
            continue;
        unsigned long long place = atomic_load(&recorder->flights[n]->ended_as);
        place = place ? place : UINT64_MAX; /* its callback is still on its way */
        if (!first || place < best) {
            first = &recorder->flights[n];
            best = place;
        }
    }
    return first;
}

void capture_flights_sweep(struct capture_recorder *recorder)
{
    struct capture_flight **flight;
    put_clocks(recorder);
    while ((flight = first_ended(recorder))) {
        put_ended(recorder, *flight);
        size_t behind = (size_t)(recorder->flights + recorder->flight_count - flight) - 1;
        memmove(flight, flight + 1, behind * sizeof(struct capture_flight *));
        recorder->flight_count--;
    }
}

/* A flight that is worth waiting for, with a reference of the caller's to its fence; NULL: none. */
static struct tf_fence *next_to_wait(struct capture_recorder *recorder, uint32_t *number)
{
    struct tf_fence *fence = NULL;
    pthread_mutex_lock(&recorder->lock);
    for (size_t n = 0; n < recorder->flight_count && !fence; n++) {
        struct capture_flight *flight = recorder->flights[n];
        if (!flight->is_stalled && tf_fence_state(flight->fence) == TF_FENCE_PENDING) {
            fence = tf_fence_retain(flight->fence);
            *number = flight->number;
        }
    }
    pthread_mutex_unlock(&recorder->lock);
    return fence;
}

static void mark_stalled(struct capture_recorder *recorder, uint32_t number)
{
    pthread_mutex_lock(&recorder->lock);
    for (size_t n = 0; n < recorder->flight_count; n++) {
        struct capture_flight *flight = recorder->flights[n];
        if (flight->number != number || flight->is_stalled)
            continue;
        flight->is_stalled = true;
        capture_pack_reset(&recorder->payload);
        capture_pack_u32(&recorder->payload, number);
        capture_pack_u32(&recorder->payload, TF_FENCE_PENDING);
        capture_writer_put(recorder->writer, CAPTURE_CHUNK_STALLED, &recorder->payload);
    }
    pthread_mutex_unlock(&recorder->lock);
}

void capture_flights_wait(struct capture_recorder *recorder, uint32_t most_ms)
{
    uint64_t deadline = base_clock_ns() + most_ms * UINT64_C(1000000);
    uint32_t number;
    struct tf_fence *fence;
    while ((fence = next_to_wait(recorder, &number))) {
        if (!tf_fence_wait(&fence, 1, true, deadline, NULL))
            mark_stalled(recorder, number);
        tf_fence_release(fence);
    }
}

void capture_flights_finish(struct capture_recorder *recorder)
{
    for (size_t n = 0; n < recorder->flight_count; n++) {
        tf_fence_release(recorder->flights[n]->fence);
        flight_release(recorder->flights[n]);
    }
    free(recorder->flights);
    recorder->flights = NULL;
    recorder->flight_count = 0;
}
