/* The wall clock of a process, and of all that it starts, stands at PROBE_NOW (seconds since 1970).
   Clocks that only grow go on: waits and time limits work as ever.
   Whoever opens /dev/urandom (SQLite does, once a process) gets the file PROBE_CHANCE.
   Preloaded; see clock.py. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t moment(void) {
    const char *said = getenv("PROBE_NOW");
    return said ? (time_t)strtoll(said, NULL, 10) : 0;
}

int clock_gettime(clockid_t which, struct timespec *out) {
    time_t fixed = moment();
    if (fixed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
        out->tv_sec = fixed;
        out->tv_nsec = 0;
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, which, out);
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

static int opened(const char *path, int flags, mode_t mode) {
    const char *chance = getenv("PROBE_CHANCE");
    if (chance && path && strcmp(path, "/dev/urandom") == 0) path = chance;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opened(path, flags | O_LARGEFILE, mode);
}
