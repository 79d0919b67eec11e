/* Notes, in order, every call that changes what is under POWER_CUT_ROOT, so that a test can work out what a power cut leaves.

   To be preloaded. Each record of the journal is a head, one or two paths that end with a zero, and the bytes written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, RENAME, UNLINK, MAKE_FOLDER, REMOVE_FOLDER, SYNC };

struct head {
    uint32_t kind;
    uint32_t path_bytes;
    uint64_t inode;
    int64_t offset;
    uint64_t size;
};

/* Recursive, because one of these functions of the C library may call another. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int journal = -1;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *root(void) {
    const char *found = getenv("POWER_CUT_ROOT");
    return found && *found ? found : NULL;
}

static int inside(const char *path) {
    const char *prefix = root();
    size_t length = prefix ? strlen(prefix) : 0;
    return prefix && path && strncmp(path, prefix, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int open_inside(int file) {
    char link[64], path[PATH_MAX];
    if (!root() || file == journal) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return inside(path);
}

static uint64_t inode_of(int file) {
    struct stat found;
    return fstat(file, &found) == 0 ? found.st_ino : 0;
}

static void put(const void *bytes, size_t size) {
    while (size) {
        ssize_t done = REAL(write)(journal, bytes, size);
        if (done < 0) abort();
        bytes = (const char *)bytes + done;
        size -= done;
    }
}

static void note(uint32_t kind, uint64_t inode, int64_t offset, uint64_t size, const char *one, const char *two, const void *bytes) {
    int before = errno;
    if (journal < 0) journal = REAL(open)(getenv("POWER_CUT_JOURNAL"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal < 0) abort();
    size_t first = one ? strlen(one) + 1 : 0, second = two ? strlen(two) + 1 : 0;
    struct head head = {kind, first + second, inode, offset, size};
    put(&head, sizeof head);
    if (one) put(one, first);
    if (two) put(two, second);
    if (bytes) put(bytes, size);
    errno = before;
}

#define LOCKED(type, expression) \
    pthread_mutex_lock(&lock); \
    type result = expression; \
    int number = errno

#define UNLOCK \
    pthread_mutex_unlock(&lock); \
    errno = number; \
    return result

/* --- opening ----------------------------------------------------------------------------------------------------- */

static int opened(const char *path, int flags, int mode) {
    struct stat before;
    if (!inside(path) || !(flags & (O_CREAT | O_TRUNC))) return REAL(open)(path, flags, mode);
    pthread_mutex_lock(&lock);
    int was_there = lstat(path, &before) == 0;
    int result = REAL(open)(path, flags, mode);
    int number = errno;
    if (result >= 0 && !was_there) note(CREATE, inode_of(result), 0, 0, path, NULL, NULL);
    else if (result >= 0 && (flags & O_TRUNC)) note(TRUNCATE, inode_of(result), 0, 0, NULL, NULL, NULL);
    UNLOCK;
}

#define MODE_OF(flags) \
    int mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list more; \
        va_start(more, flags); \
        mode = va_arg(more, int); \
        va_end(more); \
    }

int open(const char *path, int flags, ...) { MODE_OF(flags) return opened(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return opened(path, flags, mode); }

int openat(int folder, const char *path, int flags, ...) {
    MODE_OF(flags)
    return path[0] == '/' ? opened(path, flags, mode) : REAL(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE_OF(flags)
    return path[0] == '/' ? opened(path, flags, mode) : REAL(openat)(folder, path, flags, mode);
}

/* --- contents ---------------------------------------------------------------------------------------------------- */

ssize_t write(int file, const void *bytes, size_t size) {
    if (!open_inside(file)) return REAL(write)(file, bytes, size);
    int flags = fcntl(file, F_GETFL);
    pthread_mutex_lock(&lock);
    off_t offset = flags & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
    ssize_t result = REAL(write)(file, bytes, size);
    int number = errno;
    if (result > 0) note(WRITE, inode_of(file), offset, result, NULL, NULL, bytes);
    UNLOCK;
}

static ssize_t put_at(int file, const void *bytes, size_t size, off_t offset) {
    if (!open_inside(file)) return REAL(pwrite)(file, bytes, size, offset);
    LOCKED(ssize_t, REAL(pwrite)(file, bytes, size, offset));
    if (result > 0) note(WRITE, inode_of(file), offset, result, NULL, NULL, bytes);
    UNLOCK;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) { return put_at(file, bytes, size, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) { return put_at(file, bytes, size, offset); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    if (!open_inside(file)) return REAL(writev)(file, parts, count);
    ssize_t sum = 0;
    for (int index = 0; index < count; index++) {
        ssize_t done = write(file, parts[index].iov_base, parts[index].iov_len);
        if (done < 0) return sum ? sum : done;
        sum += done;
    }
    return sum;
}

static int cut_to(int file, off_t size) {
    if (!open_inside(file)) return REAL(ftruncate)(file, size);
    LOCKED(int, REAL(ftruncate)(file, size));
    if (result == 0) note(TRUNCATE, inode_of(file), size, 0, NULL, NULL, NULL);
    UNLOCK;
}

int ftruncate(int file, off_t size) { return cut_to(file, size); }
int ftruncate64(int file, off64_t size) { return cut_to(file, size); }

/* --- names ------------------------------------------------------------------------------------------------------- */

int rename(const char *old, const char *new) {
    if (!inside(old) && !inside(new)) return REAL(rename)(old, new);
    LOCKED(int, REAL(rename)(old, new));
    if (result == 0) note(RENAME, 0, 0, 0, old, new, NULL);
    UNLOCK;
}

int unlink(const char *path) {
    if (!inside(path)) return REAL(unlink)(path);
    LOCKED(int, REAL(unlink)(path));
    if (result == 0) note(UNLINK, 0, 0, 0, path, NULL, NULL);
    UNLOCK;
}

int mkdir(const char *path, mode_t mode) {
    if (!inside(path)) return REAL(mkdir)(path, mode);
    LOCKED(int, REAL(mkdir)(path, mode));
    struct stat made;
    if (result == 0) note(MAKE_FOLDER, stat(path, &made) == 0 ? made.st_ino : 0, 0, 0, path, NULL, NULL);
    UNLOCK;
}

int rmdir(const char *path) {
    if (!inside(path)) return REAL(rmdir)(path);
    LOCKED(int, REAL(rmdir)(path));
    if (result == 0) note(REMOVE_FOLDER, 0, 0, 0, path, NULL, NULL);
    UNLOCK;
}

/* --- syncing: noted when it is over, since until then nothing is promised ------------------------------------------ */

int fsync(int file) {
    if (!open_inside(file)) return REAL(fsync)(file);
    LOCKED(int, REAL(fsync)(file));
    if (result == 0) note(SYNC, inode_of(file), 0, 0, NULL, NULL, NULL);
    UNLOCK;
}

int fdatasync(int file) {
    if (!open_inside(file)) return REAL(fdatasync)(file);
    LOCKED(int, REAL(fdatasync)(file));
    if (result == 0) note(SYNC, inode_of(file), 0, 0, NULL, NULL, NULL);
    UNLOCK;
}
