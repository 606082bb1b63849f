/*
 * Faults below a real process, preloaded into it: a disk that fails, and a clock that jumps. A file that WIGWAG_FAULTS
 * names is mapped, and says which; faults.ts writes it, at any time: what is asked twice is read once.
 *
 * After a sync that failed, Linux keeps no promise about what was written since the last good one, calls it written, and
 * tells each open file of the failure once. Here the old bytes come back, which is the worst that a file system does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control {
  int64_t ahead_ms;    /* how far the clock is ahead */
  int32_t write_errno; /* what writes fail with; 0 when they work */
  int32_t sync_errno;  /* what syncs fail with */
  int32_t syncs_left;  /* how many more of them fail */
  int32_t watched;     /* whether bytes are kept for a sync that fails */
  int32_t failed;      /* how many calls have failed so far */
  int32_t dropped;     /* how many writes a failed sync has undone */
  char files[96];      /* which files, as a pattern for their whole path */
};

struct write {
  struct write *before;
  off_t at, size; /* the size that the file had */
  size_t length;
  char bytes[];
};

struct file {
  dev_t device;
  ino_t inode;
  int failures;
  struct write *unsynced;
};

static volatile struct control *control;
static struct file files[64];
static int told[65536];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_truncate)(int, off_t), (*real_open)(const char *, int, ...);
static int (*real_fsync)(int), (*real_fdatasync)(int), (*real_close)(int);
static int (*real_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
  real_pwrite = REAL(pwrite64);
  real_write = REAL(write);
  real_open = REAL(open64);
  real_truncate = REAL(ftruncate64);
  real_fsync = REAL(fsync);
  real_fdatasync = REAL(fdatasync);
  real_close = REAL(close);
  real_clock = REAL(clock_gettime);
  const char *path = getenv("WIGWAG_FAULTS");
  int fd = path ? real_open(path, O_RDWR | O_CLOEXEC) : -1;
  void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) real_close(fd);
  if (map != MAP_FAILED) control = map;
}

static int concerned(int fd) {
  char link[64] = "/proc/self/fd/", path[4096], digits[16];
  int n = 0, end = strlen(link);
  for (int rest = fd; n == 0 || rest > 0; rest /= 10) digits[n++] = '0' + rest % 10;
  while (n > 0) link[end++] = digits[--n];
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fnmatch((const char *)control->files, path, 0) == 0;
}

static struct file *file_of(int fd) {
  struct stat found;
  if (fstat(fd, &found) != 0) return NULL;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    struct file *each = &files[i];
    if (each->inode == 0) *each = (struct file){.device = found.st_dev, .inode = found.st_ino};
    if (each->device == found.st_dev && each->inode == found.st_ino) return each;
  }
  return NULL;
}

static int fails(int fd) {
  int error = control ? control->write_errno : 0;
  if (error == 0 || !concerned(fd)) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = error;
  return 1;
}

/* Keeps what a write is about to replace. */
static void keep(int fd, size_t length, off_t at) {
  if (!control || !control->watched || !concerned(fd)) return;
  struct stat found;
  struct write *kept = malloc(sizeof *kept + length);
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  if (kept && file && fstat(fd, &found) == 0) {
    ssize_t read = pread(fd, kept->bytes, length, at);
    *kept = (struct write){file->unsynced, at, found.st_size, read > 0 ? read : 0};
    file->unsynced = kept;
  } else free(kept);
  pthread_mutex_unlock(&lock);
}

static void forget(struct file *file, int fd, int undo) {
  while (file->unsynced) {
    struct write *last = file->unsynced;
    if (undo) {
      real_pwrite(fd, last->bytes, last->length, last->at);
      real_truncate(fd, last->size);
      control->dropped++;
    }
    file->unsynced = last->before;
    free(last);
  }
}

static int sync_with(int (*real)(int), int fd) {
  int error = control ? control->sync_errno : 0;
  if (!control || (!control->watched && error == 0) || !concerned(fd)) return real(fd);
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  int is_new = error != 0 && control->syncs_left != 0;
  if (file && is_new) {
    if (control->syncs_left > 0) control->syncs_left--;
    file->failures++;
    forget(file, fd, 1);
  }
  int failed = file && told[fd] != file->failures;
  if (failed) {
    told[fd] = file->failures;
    control->failed++;
  } else if (file) forget(file, fd, 0);
  pthread_mutex_unlock(&lock);
  if (!failed) return real(fd);
  errno = error ? error : EIO;
  return -1;
}

int fsync(int fd) { return sync_with(real_fsync, fd); }
int fdatasync(int fd) { return sync_with(real_fdatasync, fd); }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  if (fails(fd)) return -1;
  keep(fd, length, at);
  return real_pwrite(fd, bytes, length, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t write(int fd, const void *bytes, size_t length) { return fails(fd) ? -1 : real_write(fd, bytes, length); }

int ftruncate64(int fd, off_t size) { return fails(fd) ? -1 : real_truncate(fd, size); }
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* On a file system that is read-only, files that are there can be opened to read. */
int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = va_arg(more, mode_t);
  va_end(more);
  int writes = (flags & O_ACCMODE) != O_RDONLY && !(flags & O_EXCL);
  if (control && control->write_errno == EROFS && writes && fnmatch((const char *)control->files, path, 0) == 0) {
    control->failed++;
    errno = EROFS;
    return -1;
  }
  return real_open(path, flags, mode);
}

/* A descriptor that is used again is another open file, which has been told of nothing. */
int close(int fd) {
  if (control && control->files[0] && fd >= 0) {
    pthread_mutex_lock(&lock);
    struct file *file = concerned(fd) ? file_of(fd) : NULL;
    if (file) told[fd] = 0;
    pthread_mutex_unlock(&lock);
  }
  return real_close(fd);
}

int clock_gettime(clockid_t id, struct timespec *at) {
  if (!real_clock) real_clock = REAL(clock_gettime);
  int result = real_clock(id, at);
  if (result == 0 && control && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    int64_t ahead_ms = control->ahead_ms;
    int64_t ns = at->tv_nsec + (ahead_ms % 1000) * 1000000;
    at->tv_sec += ahead_ms / 1000 + (ns < 0 ? -1 : ns / 1000000000);
    at->tv_nsec = ns < 0 ? ns + 1000000000 : ns % 1000000000;
  }
  return result;
}

int gettimeofday(struct timeval *at, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  *at = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
