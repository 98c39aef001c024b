/*
 * Preloaded into a server: its clocks are behind those of the machine by as many nanoseconds as stand in the file that
 * STANDING_CLOCK names, as after a pause of a virtual machine.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *behind; /* not there yet for what runs before the constructor */

__attribute__((constructor)) static void map(void) {
  const char *name = getenv("STANDING_CLOCK");
  int file = name ? open(name, O_RDONLY) : -1;
  void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *behind, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) abort();
  close(file);
  behind = mapped;
}

static int stands(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC ||
         clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int code = (int)syscall(SYS_clock_gettime, clock, now);
  if (code == 0 && behind && stands(clock)) {
    int64_t nanos = now->tv_sec * INT64_C(1000000000) + now->tv_nsec - *behind;
    now->tv_sec = nanos / 1000000000;
    now->tv_nsec = nanos % 1000000000;
  }
  return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  (void)zone; /* Linux has none */
  if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec time;
  if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
  if (now) *now = time.tv_sec;
  return time.tv_sec;
}
