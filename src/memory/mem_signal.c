/* mem_signal: the handlers for SIGSEGV and SIGBUS: mends host faults in guest memory, and passes all else on.
 *
 * State of the process: the handlers are installed while there is a space. What other handlers the program has (or had) is kept for each
 * signal as a short pile: the lowest was there before ours; one above it was found in our place, and ours put in front of it again. A handler that
 * itself calls what it found when it was installed, ours, comes back to us, and then gets the next lower one. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "memory/mem_internal.h"

enum { SIGNALS = 2, PILE = 4, COPIES = 4, ACTION_WORDS = (sizeof(struct sigaction) + 7) / 8 };

static const int numbers[SIGNALS] = {SIGSEGV, SIGBUS};

/* A sigaction that handlers read while it is replaced: the newest of some copies. */
struct kept_action {
    atomic_uint newest;
    atomic_uint_fast64_t words[COPIES][ACTION_WORDS];
};

struct handled {
    atomic_uint height; /* how many of pile are in use; 0: never installed */
    struct kept_action pile[PILE];
};

/* A point to come back to. */
struct guard {
    sigjmp_buf place;
    struct guard *outer;
    struct base_span span; /* host addresses where any fault is the work's */
};

/* A signal that is being passed on. A handler that got it from us may call us with it: then with the same context, from further down the
 * stack. It may also have jumped away from it long ago. */
struct passing {
    const void *context;
    uintptr_t frame;
    unsigned depth; /* how many of the pile have had it */
};

static struct handled handled[SIGNALS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards changes of handled, and holds */
static unsigned holds;
static atomic_bool installed;
/* Both are reached in signal handlers: where that could need memory, it may not happen lazily. */
static _Thread_local struct guard *innermost __attribute__((tls_model("initial-exec")));
static _Thread_local struct passing passing[SIGNALS] __attribute__((tls_model("initial-exec")));

static void handle(int number, siginfo_t *info, void *context);

/* The C library's, also where somebody stands in front of it and calls mem_signal_forward: that must not come back to us. Found once, before
 * the handlers are there. */
static _Atomic(int (*)(int, const struct sigaction *, struct sigaction *)) library_sigaction;

static void find_library(void)
{
    int (*found)(int, const struct sigaction *, struct sigaction *);
    void *symbol = dlsym(RTLD_NEXT, "sigaction");
    memcpy(&found, &symbol, sizeof found);
    atomic_store(&library_sigaction, found ? found : sigaction);
}

static int set_action(int number, const struct sigaction *action, struct sigaction *old)
{
    return atomic_load(&library_sigaction)(number, action, old);
}

static void keep_action(struct kept_action *kept, const struct sigaction *action)
{
    uint64_t words[ACTION_WORDS] = {0};
    unsigned next = atomic_load(&kept->newest) + 1;
    memcpy(words, action, sizeof *action);
    for (size_t n = 0; n < ACTION_WORDS; n++)
        atomic_store_explicit(&kept->words[next % COPIES][n], words[n], memory_order_relaxed);
    atomic_store(&kept->newest, next);
}

static void get_action(struct kept_action *kept, struct sigaction *action)
{
    uint64_t words[ACTION_WORDS];
    unsigned newest;
    do {
        newest = atomic_load(&kept->newest);
        for (size_t n = 0; n < ACTION_WORDS; n++)
            words[n] = atomic_load_explicit(&kept->words[newest % COPIES][n], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load(&kept->newest) - newest >= COPIES - 1);
    memcpy(action, words, sizeof *action);
}

/* A signal handler that changes handlers may not meet this thread's own lock: signals wait meanwhile. */
static void lock_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    pthread_mutex_lock(&lock);
}

static void unlock_signals(const sigset_t *before)
{
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A program that put ours back may have done so by signal(), which loses the flags. */
static bool is_ours(const struct sigaction *action)
{
    return action->sa_sigaction == handle;
}

static bool is_whole(const struct sigaction *action)
{
    return is_ours(action) && action->sa_flags & SA_SIGINFO;
}

static bool same_as_kept(struct kept_action *kept, const struct sigaction *action)
{
    struct sigaction top;
    get_action(kept, &top);
    return top.sa_handler == action->sa_handler;
}

/* Makes ours the handler of a signal; what was there goes on the pile. */
static bool put_in_front_locked(unsigned which)
{
    struct handled *h = &handled[which];
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER}, before;
    if (set_action(numbers[which], NULL, &before) != 0)
        return false;
    if (is_whole(&before))
        return true;
    unsigned height = atomic_load(&h->height);
    if (!is_ours(&before)) {
        if (height < PILE && !(height && same_as_kept(&h->pile[height - 1], &before)))
            height++;
        keep_action(&h->pile[height - 1], &before);
        atomic_store(&h->height, height);
    }
    ours.sa_sigaction = handle;
    sigemptyset(&ours.sa_mask);
    return set_action(numbers[which], &ours, NULL) == 0;
}

/* Takes ours away where nobody put another in front of it. */
static void step_back_locked(unsigned which)
{
    struct sigaction now, below;
    if (set_action(numbers[which], NULL, &now) != 0 || !is_ours(&now))
        return;
    get_action(&handled[which].pile[atomic_load(&handled[which].height) - 1], &below);
    if (set_action(numbers[which], &below, NULL) == 0)
        atomic_store(&handled[which].height, 0);
}

/* A process that forks while another of its threads changes something here: the child finds it whole. */
static void before_fork(void)
{
    mem_watch_hold_still();
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
    mem_watch_move_on();
}

static void prepare_once(void)
{
    find_library();
    pthread_atfork(before_fork, after_fork, after_fork);
}

bool mem_signal_hold(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t before;
    bool done = true;
    pthread_once(&once, prepare_once);
    lock_signals(&before);
    for (unsigned n = 0; n < SIGNALS && done; n++)
        done = put_in_front_locked(n);
    holds += done;
    atomic_store(&installed, holds > 0);
    unlock_signals(&before);
    return done;
}

void mem_signal_drop(void)
{
    sigset_t before;
    lock_signals(&before);
    if (--holds == 0) {
        atomic_store(&installed, false);
        for (unsigned n = 0; n < SIGNALS; n++)
            step_back_locked(n);
    }
    unlock_signals(&before);
}

void mem_signal_check(void)
{
    sigset_t before;
    struct sigaction now;
    bool front = true;
    for (unsigned n = 0; n < SIGNALS && atomic_load(&installed); n++)
        front &= set_action(numbers[n], NULL, &now) == 0 && is_whole(&now);
    if (front)
        return;
    lock_signals(&before);
    for (unsigned n = 0; n < SIGNALS && holds; n++)
        put_in_front_locked(n);
    unlock_signals(&before);
}

bool mem_signal_forward(int number, const struct sigaction *action, struct sigaction *old)
{
    sigset_t before;
    unsigned which = number == SIGBUS;
    if (numbers[which] != number)
        return false;
    lock_signals(&before);
    unsigned height = atomic_load(&handled[which].height);
    bool ours = holds && height;
    if (ours && old)
        get_action(&handled[which].pile[height - 1], old);
    if (ours && action)
        keep_action(&handled[which].pile[height - 1], action);
    unlock_signals(&before);
    return ours;
}

/* The signal's own effect: the process ends. */
static void act_by_default(int number, const siginfo_t *info)
{
    struct sigaction nothing = {.sa_handler = SIG_DFL};
    set_action(number, &nothing, NULL);
    /* A fault happens again when the handler returns; what was sent must be sent again. */
    if (info->si_code <= 0)
        syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
}

static void call_handler(const struct sigaction *action, int number, siginfo_t *info, void *context)
{
    sigset_t blocked = action->sa_mask, before;
    if (!(action->sa_flags & SA_NODEFER))
        sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Gives the signal to the next handler of the pile. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    unsigned which = number == SIGBUS, height = atomic_load(&handled[which].height);
    struct passing before = passing[which], now = {context, (uintptr_t)__builtin_frame_address(0), 1};
    if (before.context == context && now.frame < before.frame)
        now.depth = before.depth + 1;
    if (now.depth <= height)
        get_action(&handled[which].pile[height - now.depth], &action);
    bool plain = !(action.sa_flags & SA_SIGINFO);
    if (plain && action.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (plain && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) {
        act_by_default(number, info);
        return;
    }
    if (action.sa_flags & SA_RESETHAND && now.depth == 1)
        mem_signal_forward(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    passing[which] = now;
    call_handler(&action, number, info, context);
    passing[which] = before;
}

/* Leaves the handler, with the signals blocked that were: whoever called us may have blocked more. */
static _Noreturn void jump_to(struct guard *guard, const void *context)
{
    const ucontext_t *interrupted = context;
    pthread_sigmask(SIG_SETMASK, &interrupted->uc_sigmask, NULL);
    siglongjmp(guard->place, 1);
}

static void handle(int number, siginfo_t *info, void *context)
{
    int before = errno;
    struct guard *guard = innermost;
    uintptr_t address = (uintptr_t)info->si_addr;
    enum mem_mend mend = info->si_code > 0 ? mem_watch_mend(number, info->si_code, address, guard) : MEM_MEND_NOT_OURS;
    bool expected = guard && info->si_code > 0 && address >= guard->span.start && address < guard->span.end;
    if (mend != MEM_MEND_DONE && (expected || (guard && mend == MEM_MEND_END)))
        jump_to(guard, context);
    errno = before;
    if (mend != MEM_MEND_DONE)
        pass_on(number, info, context);
}

bool mem_guard_over(void (*work)(void *user), void *user, struct base_span span)
{
    struct guard guard;
    guard.outer = innermost;
    guard.span = span;
    bool whole = sigsetjmp(guard.place, 0) == 0;
    if (whole) {
        innermost = &guard;
        atomic_signal_fence(memory_order_seq_cst);
        work(user);
        atomic_signal_fence(memory_order_seq_cst);
    }
    innermost = guard.outer;
    return whole;
}

bool mem_guard_run(void (*work)(void *user), void *user)
{
    return mem_guard_over(work, user, (struct base_span){0});
}
