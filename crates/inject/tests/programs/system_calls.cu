// Each system call with buffers in memory that a kernel in flight may use: the results and errno are those of ordinary memory.
// `same`: the kernel uses another part of the memory. `race`: it uses the buffers; a line for each call that the host must be found at.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Every byte is read and written with the value that it has, by plain accesses.
__global__ void touch(char *p, int bytes) {
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        asm volatile("{ .reg .b16 r; ld.u8 r, [%0]; st.u8 [%0], r; }" ::"l"(p + i) : "memory");
}

static const int PART = 4096, ALL = 8 * PART;

struct Memory {
    char *p;                                            // the buffers of one call, PART bytes
    int zero, file, sp[2], folder, pipe_[2];            // descriptors, made anew for each call
    bool race;                                           // nothing is put back: what comes later would hide the call
    char *text(const char *s, int at = 0) { return strcpy(p + at, s); }
    void tidy(int from, int to) { if (!race) memset(p + from, 0, to - from); }
    template <class T> T *put(const T &value, int at = 0) { memcpy(p + at, &value, sizeof value); return (T *)(p + at); }
};

struct Case {
    const char *name;
    int line;
    long (*run)(Memory &);
    bool exact;                                          // the bytes are the same in each run, too
    const char *how;                                     // how a race of it is found: r, w, or nothing
};
#define EXACT(how, name, ...) {name, __LINE__, [](Memory &m) -> long { __VA_ARGS__; }, true, how},
#define CASE(how, name, ...) {name, __LINE__, [](Memory &m) -> long { __VA_ARGS__; }, false, how},

static inline __attribute__((always_inline)) long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f;
    long out;
    asm volatile("syscall" : "=a"(out) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    if (out < 0 && out > -4096) { errno = -out; return -1; }
    return out;
}
static iovec part(void *p, size_t n) { return {p, n}; }
static sockaddr_un local(const char *name) { sockaddr_un a{}; a.sun_family = AF_UNIX; a.sun_path[0] = 0; strcpy(a.sun_path + 1, name); return a; }

static Case cases[] = {
    EXACT("w", "read", return read(m.zero, m.p, 512))
    EXACT("w", "read_raw", return raw(SYS_read, m.file, (long)m.p, 512))
    EXACT("w", "read_short", return read(m.file, m.p, 4000))
    EXACT("", "read_bad_file", return read(-1, m.p, 512))
    EXACT("w", "pread", return pread(m.file, m.p, 100, 10))
    EXACT("w", "readv", iovec v[2] = {part(m.p, 8), part(m.p + 64, 100)}; return readv(m.file, v, 2))
    EXACT("r", "readv_there", iovec *v = m.put(part(m.p + 256, 100)); long r = readv(m.file, v, 1); m.tidy(0, 16); return r)
    EXACT("", "readv_bad", iovec v[2] = {part(m.p, 8), part((void *)8, 100)}; return readv(-1, v, 2))
    EXACT("", "readv_bad_vector", return readv(m.file, (iovec *)8, 2))
    EXACT("w", "preadv", iovec v = part(m.p, 100); return preadv(m.file, &v, 1, 3))
    EXACT("w", "preadv2", iovec v = part(m.p, 100); return preadv2(m.file, &v, 1, 3, 0))
    EXACT("r", "write", m.text("hello"); return write(m.pipe_[1], m.p, 5))
    EXACT("r", "write_raw", return raw(SYS_write, m.pipe_[1], (long)m.p, 100))
    EXACT("r", "pwrite", return pwrite(m.file, m.p, 100, 10))
    EXACT("r", "writev", iovec v[2] = {part(m.p, 8), part(m.p + 64, 100)}; return writev(m.pipe_[1], v, 2))
    EXACT("r", "pwritev", iovec v = part(m.p, 100); return pwritev(m.file, &v, 1, 3))
    EXACT("r", "pwritev2", iovec v = part(m.p, 100); return pwritev2(m.file, &v, 1, 3, 0))
    EXACT("r", "vmsplice", iovec v = part(m.p, 100); return vmsplice(m.pipe_[1], &v, 1, 0))
    EXACT("w", "splice", write(m.pipe_[1], "abc", 3); m.put<off_t>(1); return splice(m.pipe_[0], 0, m.file, (off_t *)m.p, 3, 0))
    EXACT("w", "sendfile", m.put<off_t>(1); return syscall(SYS_sendfile, m.sp[0], m.file, m.p, 8))
    EXACT("w", "copy_file_range", m.put<off_t>(1); return syscall(SYS_copy_file_range, m.file, m.p, m.file, m.p + 64, 0, 0))
    EXACT("r", "open", return open(m.text("/nonexistent/there"), O_RDONLY))
    EXACT("r", "openat", int f = openat(AT_FDCWD, m.text("/dev/null"), O_RDONLY); close(f); return f > 0)
    EXACT("r", "openat2", m.text("/dev/null"); uint64_t how[3] = {O_RDONLY, 0, 0}; int f = syscall(437, AT_FDCWD, m.p, how, sizeof how); close(f); return f > 0 ? 1 : f)
    EXACT("r", "creat", int f = creat(m.text("made"), 0600); close(f); unlink("made"); return f > 0)
    EXACT("r", "access", return access(m.text("/dev/zero"), R_OK))
    EXACT("r", "faccessat", return syscall(SYS_faccessat, AT_FDCWD, m.text("/dev/zero"), R_OK))
    EXACT("w", "stat", return syscall(SYS_stat, "/dev/zero", m.p))
    EXACT("r", "stat_name", struct stat s; return stat(m.text("/dev/zero"), &s))
    EXACT("w", "fstat", return syscall(SYS_fstat, m.zero, m.p))
    EXACT("w", "lstat", return syscall(SYS_lstat, "/dev/zero", m.p))
    EXACT("w", "newfstatat", return syscall(SYS_newfstatat, AT_FDCWD, "/dev/zero", m.p, 0))
    EXACT("w", "statx", return syscall(SYS_statx, AT_FDCWD, "/dev/zero", 0, 0xfff, m.p))
    CASE("w", "statfs", return syscall(SYS_statfs, "/", m.p))
    CASE("w", "fstatfs", return syscall(SYS_fstatfs, m.file, m.p))
    EXACT("r", "mkdir", int r = mkdir(m.text("folder"), 0700); return rmdir("folder") * 10 + r)
    EXACT("r", "rmdir", mkdir("folder", 0700); return rmdir(m.text("folder")))
    EXACT("r", "rename", close(creat("a1", 0600)); int r = rename(m.text("a1"), m.text("a2", 64)); unlink("a2"); return r)
    EXACT("r", "link", close(creat("a1", 0600)); int r = link(m.text("a1"), "a2"); unlink("a1"); unlink("a2"); return r)
    EXACT("r", "symlink", int r = symlink(m.text("target"), m.text("a1", 64)); unlink("a1"); return r)
    EXACT("r", "unlink", close(creat("a1", 0600)); return unlink(m.text("a1")))
    EXACT("w", "readlink", symlink("target", "a1"); int r = readlink("a1", m.p, 100); unlink("a1"); return r)
    EXACT("w", "readlinkat", symlink("target", "a1"); int r = readlinkat(AT_FDCWD, "a1", m.p, 100); unlink("a1"); return r)
    EXACT("r", "chmod", close(creat("a1", 0600)); int r = chmod(m.text("a1"), 0640); unlink("a1"); return r)
    EXACT("r", "truncate", return truncate(m.text("file"), 3000))
    EXACT("r", "utimensat", timespec t[2] = {{1, 2}, {3, 4}}; return utimensat(AT_FDCWD, "file", m.put(t) ? (timespec *)m.p : 0, 0))
    CASE("w", "getdents64", return syscall(SYS_getdents64, m.folder, m.p, 4000) > 0)
    EXACT("w", "getcwd", return syscall(SYS_getcwd, m.p, 4000) > 1)
    EXACT("r", "chdir", return chdir(m.text(".")))
    EXACT("r", "setxattr", return syscall(SYS_setxattr, "file", "user.a", m.text("value"), 5, 0))
    EXACT("w", "getxattr", return syscall(SYS_getxattr, "file", "user.a", m.p, 100) != -2)
    CASE("w", "pipe", int r = syscall(SYS_pipe, m.p); close(((int *)m.p)[0]); close(((int *)m.p)[1]); return r)
    CASE("w", "socketpair", int r = socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)m.p); close(((int *)m.p)[0]); close(((int *)m.p)[1]); return r)
    EXACT("w", "poll", m.put(pollfd{m.zero, POLLIN, 0}); return poll((pollfd *)m.p, 1, 0))
    EXACT("w", "ppoll", m.put(pollfd{m.zero, POLLIN, 0}); return syscall(SYS_ppoll, m.p, 1, 0, 0, 8))
    EXACT("w", "select", fd_set s; FD_ZERO(&s); FD_SET(m.zero, &s); m.put(s); timeval t{}; return syscall(SYS_select, m.zero + 1, m.p, 0, 0, &t))
    EXACT("w", "pselect6", fd_set s; FD_ZERO(&s); FD_SET(m.zero, &s); m.put(s); timespec t{}; return syscall(SYS_pselect6, m.zero + 1, m.p, 0, 0, &t, 0))
    EXACT("w", "epoll_wait", int e = epoll_create1(0); epoll_event v{EPOLLIN, {}}; epoll_ctl(e, EPOLL_CTL_ADD, m.sp[1], &v); write(m.sp[0], "a", 1); int r = syscall(SYS_epoll_wait, e, m.p, 4, -1); close(e); return r)
    EXACT("r", "epoll_ctl", int e = epoll_create1(0); m.put(epoll_event{EPOLLIN, {}}); int r = epoll_ctl(e, EPOLL_CTL_ADD, m.sp[1], (epoll_event *)m.p); close(e); return r)
    EXACT("w", "epoll_pwait", int e = epoll_create1(0); epoll_event v{EPOLLIN, {}}; epoll_ctl(e, EPOLL_CTL_ADD, m.sp[1], &v); write(m.sp[0], "a", 1); int r = syscall(SYS_epoll_pwait, e, m.p, 4, -1, 0, 8); close(e); return r)
    EXACT("r", "send", return send(m.sp[0], m.p, 100, 0))
    EXACT("w", "recv", write(m.sp[0], "abcdef", 6); return recv(m.sp[1], m.p, 100, 0))
    EXACT("w", "recvfrom", write(m.sp[0], "abcdef", 6); socklen_t n = 100; sockaddr_un a; return recvfrom(m.sp[1], m.p, 100, 0, (sockaddr *)&a, &n))
    EXACT("r", "sendmsg", iovec v = part(m.p, 100); msghdr h{}; h.msg_iov = &v; h.msg_iovlen = 1; return sendmsg(m.sp[0], &h, 0))
    EXACT("w", "recvmsg", write(m.sp[0], "abcdef", 6); iovec v = part(m.p, 100); msghdr h{}; h.msg_iov = &v; h.msg_iovlen = 1; h.msg_flags = 77; int r = recvmsg(m.sp[1], &h, 0); return r * 1000 + h.msg_flags)
    EXACT("w", "recvmsg_there", write(m.sp[0], "abcdef", 6); iovec v = part(m.p + 512, 100); msghdr h{}; h.msg_iov = m.put(v, 256); h.msg_iovlen = 1; auto *there = m.put(h); int r = recvmsg(m.sp[1], there, 0); m.tidy(16, 24); m.tidy(256, 272); return r)
    EXACT("w", "recvmsg_rights", int one = m.zero; char c[CMSG_SPACE(4)]{}; iovec v = part(&one, 1); msghdr h{}; h.msg_iov = &v; h.msg_iovlen = 1; h.msg_control = c; h.msg_controllen = sizeof c; auto *x = CMSG_FIRSTHDR(&h); x->cmsg_level = SOL_SOCKET; x->cmsg_type = SCM_RIGHTS; x->cmsg_len = CMSG_LEN(4); memcpy(CMSG_DATA(x), &one, 4); int r = sendmsg(m.sp[0], &h, 0); h.msg_control = m.p; int q = recvmsg(m.sp[1], &h, 0); int got; memcpy(&got, m.p + 16, 4); close(got); m.tidy(16, 20); return r * 1000 + q * 100 + h.msg_controllen)
    EXACT("r", "sendmmsg", iovec v = part(m.p, 100), w = part(m.p + 200, 50); mmsghdr h[2]{}; h[0].msg_hdr.msg_iov = &v; h[1].msg_hdr.msg_iov = &w; h[0].msg_hdr.msg_iovlen = h[1].msg_hdr.msg_iovlen = 1; int r = sendmmsg(m.sp[0], h, 2, 0); return r * 10000 + h[0].msg_len * 100 + h[1].msg_len)
    EXACT("w", "recvmmsg", write(m.sp[0], "abcdef", 6); iovec v = part(m.p, 4), w = part(m.p + 200, 50); mmsghdr h[2]{}; h[0].msg_hdr.msg_iov = &v; h[1].msg_hdr.msg_iov = &w; h[0].msg_hdr.msg_iovlen = h[1].msg_hdr.msg_iovlen = 1; int r = recvmmsg(m.sp[1], h, 2, MSG_DONTWAIT, 0); return r * 10000 + h[0].msg_len * 100 + h[1].msg_len)
    EXACT("r", "setsockopt", m.put<int>(1); return setsockopt(m.sp[0], SOL_SOCKET, SO_KEEPALIVE, m.p, 4))
    EXACT("w", "getsockopt", socklen_t n = 4; int r = getsockopt(m.sp[0], SOL_SOCKET, SO_TYPE, m.p, &n); return r * 100 + n)
    EXACT("w", "getsockopt_length", int v; m.put<socklen_t>(4); int r = getsockopt(m.sp[0], SOL_SOCKET, SO_TYPE, &v, (socklen_t *)m.p); return r * 100 + v)
    EXACT("w", "getsockname", socklen_t n = 100; int r = getsockname(m.sp[0], (sockaddr *)m.p, &n); return r * 100 + n)
    EXACT("r", "bind", int s = socket(AF_UNIX, SOCK_STREAM, 0); auto a = local("warprace-bind"); m.put(a); int r = bind(s, (sockaddr *)m.p, 16); close(s); return r)
    EXACT("r", "connect", int s = socket(AF_UNIX, SOCK_STREAM, 0); auto a = local("warprace-nobody"); m.put(a); int r = connect(s, (sockaddr *)m.p, 16); close(s); return r)
    EXACT("w", "accept", int s = socket(AF_INET, SOCK_STREAM, 0); sockaddr_in a{}; a.sin_family = AF_INET; a.sin_addr.s_addr = htonl(INADDR_LOOPBACK); socklen_t n = sizeof a; bind(s, (sockaddr *)&a, n); getsockname(s, (sockaddr *)&a, &n); listen(s, 1); int c = socket(AF_INET, SOCK_STREAM, 0); connect(c, (sockaddr *)&a, n); n = sizeof a; int t = accept(s, (sockaddr *)m.p, &n); m.tidy(2, 4); close(s); close(c); close(t); return t > 0 ? n : t)
    EXACT("r", "nanosleep", m.put(timespec{0, 1000}); return syscall(SYS_nanosleep, m.p, 0))
    EXACT("r", "clock_nanosleep", m.put(timespec{0, 1000}); return syscall(SYS_clock_nanosleep, 0, 0, m.p, 0))
    CASE("w", "clock_gettime", return syscall(SYS_clock_gettime, 0, m.p))
    CASE("w", "clock_gettime_vdso", return clock_gettime(CLOCK_MONOTONIC, (timespec *)m.p))
    EXACT("w", "clock_getres", return syscall(SYS_clock_getres, 0, m.p))
    CASE("w", "gettimeofday", return syscall(SYS_gettimeofday, m.p, 0))
    CASE("w", "time", return syscall(SYS_time, m.p) > 0)
    CASE("w", "times", return syscall(SYS_times, m.p) > 0)
    CASE("w", "getrusage", return getrusage(RUSAGE_SELF, (rusage *)m.p))
    EXACT("w", "getrlimit", return syscall(SYS_getrlimit, RLIMIT_NOFILE, m.p))
    EXACT("w", "prlimit64", return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, m.p))
    CASE("w", "sysinfo", return syscall(SYS_sysinfo, m.p))
    EXACT("w", "uname", return uname((utsname *)m.p))
    EXACT("w", "getitimer", return syscall(SYS_getitimer, ITIMER_REAL, m.p))
    EXACT("r", "setitimer", m.put(itimerval{}); return syscall(SYS_setitimer, ITIMER_REAL, m.p, 0))
    EXACT("w", "getresuid", return getresuid((uid_t *)m.p, (uid_t *)(m.p + 8), (uid_t *)(m.p + 16)))
    EXACT("w", "getresgid", return getresgid((gid_t *)m.p, (gid_t *)(m.p + 8), (gid_t *)(m.p + 16)))
    EXACT("", "getgroups", return syscall(SYS_getgroups, 64, m.p) >= 0)
    EXACT("w", "capget", __user_cap_header_struct h{_LINUX_CAPABILITY_VERSION_3, 0}; return syscall(SYS_capget, &h, m.p))
    EXACT("w", "rt_sigpending", return syscall(SYS_rt_sigpending, m.p, 8))
    EXACT("r", "rt_sigtimedwait", m.put<uint64_t>(1ull << (SIGUSR2 - 1)); timespec t{}; return syscall(SYS_rt_sigtimedwait, m.p, 0, &t, 8))
    EXACT("w", "timer_create", long r = syscall(SYS_timer_create, CLOCK_MONOTONIC, 0, m.p); int id = *(int *)m.p; if (r == 0) syscall(SYS_timer_delete, id); m.tidy(0, 4); return r)
    EXACT("r", "timerfd", int t = timerfd_create(CLOCK_MONOTONIC, 0); itimerspec v{{}, {0, 0}}; m.put(v); int r = timerfd_settime(t, 0, (itimerspec *)m.p, 0); r = r * 10 + timerfd_gettime(t, (itimerspec *)(m.p + 64)); close(t); return r)
    EXACT("r", "signalfd", m.put<uint64_t>(1ull << (SIGUSR2 - 1)); int f = syscall(SYS_signalfd4, -1, m.p, 8, 0); close(f); return f > 0)
    EXACT("r", "inotify_add_watch", int f = inotify_init(); int r = inotify_add_watch(f, m.text("."), IN_OPEN); close(f); return r)
    EXACT("w", "sched_getaffinity", return syscall(SYS_sched_getaffinity, 0, 128, m.p))
    EXACT("w", "sched_getparam", return syscall(SYS_sched_getparam, 0, m.p))
    EXACT("w", "sched_getattr", return syscall(SYS_sched_getattr, 0, m.p, 48, 0))
    CASE("w", "getcpu", return syscall(SYS_getcpu, m.p, 0, 0))
    CASE("w", "getrandom", return getrandom(m.p, 256, 0))
    EXACT("r", "memfd_create", int f = syscall(SYS_memfd_create, m.text("name"), 0); close(f); return f > 0)
    EXACT("w", "process_vm_readv_to", static char from[64] = "from"; iovec a = part(m.p, 64), b = part(from, 64); return process_vm_readv(getpid(), &a, 1, &b, 1, 0))
    EXACT("r", "process_vm_readv_from", char to[64]; iovec a = part(to, 64), b = part(m.p, 64); return process_vm_readv(getpid(), &a, 1, &b, 1, 0))
    EXACT("r", "process_vm_writev", static char to[64]; iovec a = part(m.p, 64), b = part(to, 64); return process_vm_writev(getpid(), &a, 1, &b, 1, 0))
    EXACT("r", "msgsnd", int q = msgget(IPC_PRIVATE, 0600); m.put<long>(1); int r = msgsnd(q, m.p, 16, 0); msgctl(q, IPC_RMID, 0); return r)
    EXACT("w", "msgrcv", int q = msgget(IPC_PRIVATE, 0600); struct { long t; char c[16]; } x{1, "abc"}; msgsnd(q, &x, 16, 0); int r = msgrcv(q, m.p, 100, 0, 0); msgctl(q, IPC_RMID, 0); return r)
    EXACT("r", "semop", int s = semget(IPC_PRIVATE, 1, 0600); m.put(sembuf{0, 1, 0}); int r = semop(s, (sembuf *)m.p, 1); semctl(s, 0, IPC_RMID); return r)
    EXACT("w", "wait4", pid_t c = fork(); if (!c) raw(SYS_exit_group, 3); int r = syscall(SYS_wait4, c, m.p, 0, 0) == c; return r)
    EXACT("w", "waitid", pid_t c = fork(); if (!c) raw(SYS_exit_group, 3); int r = syscall(SYS_waitid, P_PID, c, m.p, WEXITED, 0); m.tidy(16, 20); m.tidy(40, 128); return r)
    EXACT("r", "futex_wait", m.put<int>(1); return syscall(SYS_futex, m.p, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0))
    EXACT("", "futex_wake", return syscall(SYS_futex, m.p, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0))
    EXACT("", "execve", char *argv[] = {m.text("a", 128), m.text("b", 192), 0}; return execve(m.text("/nonexistent/program"), argv, argv))
    EXACT("", "ioctl", write(m.pipe_[1], "abc", 3); return ioctl(m.pipe_[0], FIONREAD, m.p))
    EXACT("", "fcntl", m.put(flock{F_WRLCK, SEEK_SET, 0, 0, 0}); return fcntl(m.file, F_GETLK, m.p))
    EXACT("", "prctl", return prctl(PR_GET_NAME, m.p))
    EXACT("", "mincore_page", return syscall(SYS_mincore, m.zero, 1, m.p))
    EXACT("", "aio", aio_context_t c = 0; if (syscall(SYS_io_setup, 4, &c)) return -2; iocb b{}; b.aio_fildes = m.file; b.aio_lio_opcode = IOCB_CMD_PREAD; b.aio_buf = (uint64_t)m.p; b.aio_nbytes = 64; iocb *v[] = {&b}; int r = syscall(SYS_io_submit, c, 1, v); io_event e{}; syscall(SYS_io_getevents, c, 1, 1, &e, 0); syscall(SYS_io_destroy, c); return r * 1000 + e.res)
    EXACT("", "unknown_call", return syscall(399, m.p, 1, 2))
    EXACT("", "null", return read(m.zero, 0, 16))
};

#define FAIL(...) do { printf(__VA_ARGS__); exit(1); } while (0)

struct Outcome { long result; int error; std::vector<char> bytes; };

static Outcome run(const Case &c, char *p, bool race) {
    Memory m{};
    m.race = race;
    m.p = p;
    memset(p, 0, PART);
    // The same number each time: the bits of a set are those of a descriptor.
    int zero = open("/dev/zero", O_RDONLY);
    m.zero = dup2(zero, 60);
    close(zero);
    m.file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 16; i++) if (write(m.file, "0123456789abcdefghijklmnopqrstuv", 32) != 32) FAIL("no file\n");
    lseek(m.file, 0, SEEK_SET);
    m.folder = open("/", O_RDONLY | O_DIRECTORY);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, m.sp) || pipe(m.pipe_)) FAIL("no descriptors\n");
    errno = 0;
    Outcome out;
    out.result = c.run(m);
    out.error = out.result < 0 ? errno : 0;
    if (c.exact && !race) out.bytes.assign(p, p + PART);
    for (int f : {m.zero, m.file, m.folder, m.sp[0], m.sp[1], m.pipe_[0], m.pipe_[1]}) close(f);
    return out;
}

int main(int argc, char **argv) {
    bool race = !strcmp(argv[1], "race"), pinned = !strcmp(argv[2], "pinned");
    char *own = (char *)calloc(1, ALL), *shared;
    cudaError_t error = pinned ? cudaMallocHost(&shared, ALL) : cudaMallocManaged(&shared, ALL);
    if (error) FAIL("%s\n", cudaGetErrorString(error));
    int different = 0;
    for (const Case &c : cases) {
        if (argc > 3 && strcmp(argv[3], c.name)) continue;
        if (race && !*c.how) continue;
        Outcome want = run(c, own, false);
        if (race) printf("race %s %d %s\n", c.name, c.line, c.how);
        // In the middle, so that the pages of the buffers are inaccessible, too.
        char *other = race ? shared + PART : shared + 4 * PART;
        touch<<<1, 256>>>(other, PART);
        Outcome got = run(c, shared + PART, race);
        if (cudaDeviceSynchronize()) FAIL("the kernel failed\n");
        if (race) continue;
        if (want.result != got.result || want.error != got.error) {
            printf("%s: %ld (%d) in place of %ld (%d)\n", c.name, got.result, got.error, want.result, want.error);
            different++;
        } else if (memcmp(want.bytes.data(), got.bytes.data(), want.bytes.size())) {
            int at = 0;
            while (want.bytes[at] == got.bytes[at]) at++;
            printf("%s: byte %d is %d in place of %d\n", c.name, at, got.bytes[at], want.bytes[at]);
            different++;
        }
    }
    printf("%d different\n", different);
    return different != 0;
}
