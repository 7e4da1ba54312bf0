// System calls on memory that a kernel in flight may use, by threads that block, take signals, are cancelled, and make processes.
#include "check.h"
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

extern char **environ;

__global__ void work(volatile int *p) { p[threadIdx.x] = p[threadIdx.x] + 1; }

static int *shared;   // the kernel uses the first page
static char *half;    // and calls the second
static int sp[2];
static std::atomic<int> signals{0};

static void launch() { work<<<1, 32>>>(shared); }
static void wait_() { OK(cudaDeviceSynchronize()); }
static void soon() { usleep(20000); }

static void on_signal(int) {
    // With all signals blocked.
    char c = 'x';
    half[64] = 'y';
    EXPECT(write(sp[0], half + 64, 1) == 1 || errno == EAGAIN);
    (void)c;
    signals++;
}

static sigjmp_buf back;
static void on_jump(int) { siglongjmp(back, 1); }

static void *read_one(void *at) { return (void *)read(sp[1], at, 1); }

static void *blocked_read(void *) {
    sigset_t all, now;
    sigfillset(&all);
    EXPECT(pthread_sigmask(SIG_BLOCK, &all, nullptr) == 0);
    EXPECT(pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0);
    // It is told what it believes.
    EXPECT(sigismember(&now, SIGSYS) && sigismember(&now, SIGSEGV) && sigismember(&now, SIGUSR1));
    half[8] = 1;
    EXPECT(read(sp[1], half, 1) == 1);
    EXPECT(write(sp[1], half, 1) == 1);
    return nullptr;
}

static void CUDART_CB host_function(void *) {
    int f = open("/dev/zero", O_RDONLY);
    EXPECT(read(f, half + 128, 64) == 64);
    close(f);
}

int main(int argc, char **argv) {
    bool early = argc > 1 && !strcmp(argv[1], "early");
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, sp) == 0);
    if (early) {
        // This thread can never take a signal: nothing may be watched, and a limit says so.
        OK(cudaMallocHost(&shared, 8192));
        half = (char *)shared + 4096;
        pthread_t thread;
        pthread_create(&thread, nullptr, blocked_read, nullptr);
        soon();
        launch();
        EXPECT(write(sp[0], "a", 1) == 1);
        pthread_join(thread, nullptr);
        wait_();
        puts("ok");
        return 0;
    }
    OK(cudaMallocHost(&shared, 8192));
    half = (char *)shared + 4096;

    // A thread that was blocked in a call before anything was watched; one that sleeps, one that polls.
    pthread_t thread;
    pthread_create(&thread, nullptr, read_one, half);
    std::atomic<int> slept{-1}, polled{-1};
    std::thread sleeper([&] { timespec t{0, 300000000}; slept = nanosleep(&t, nullptr); });
    std::thread poller([&] { pollfd p{-1, POLLIN, 0}; polled = poll(&p, 1, 300); });
    soon();
    launch();
    soon();
    EXPECT(write(sp[0], "b", 1) == 1);
    void *result;
    pthread_join(thread, &result);
    EXPECT((long)result == 1 && half[0] == 'b');
    sleeper.join();
    poller.join();
    EXPECT(slept == 0 && polled == 0);
    wait_();

    // A thread that blocks all signals afterwards.
    launch();
    pthread_create(&thread, nullptr, blocked_read, nullptr);
    EXPECT(write(sp[0], "c", 1) == 1);
    pthread_join(thread, nullptr);
    char c;
    EXPECT(read(sp[0], &c, 1) == 1 && c == 'c');
    wait_();

    // A signal interrupts a call, and its handler makes one.
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigfillset(&action.sa_mask);
    EXPECT(sigaction(SIGUSR1, &action, nullptr) == 0);
    launch();
    pthread_create(&thread, nullptr, read_one, half);
    soon();
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, &result);
    EXPECT(signals == 1 && (long)result == -1);
    EXPECT(read(sp[1], half, 1) == 1 && half[0] == 'y');
    wait_();
    // The same call goes on with SA_RESTART.
    action.sa_flags = SA_RESTART;
    EXPECT(sigaction(SIGUSR1, &action, nullptr) == 0);
    launch();
    pthread_create(&thread, nullptr, read_one, half);
    soon();
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, &result);
    EXPECT(signals == 2 && (long)result == 1 && half[0] == 'y');
    wait_();

    // A handler that does not return.
    action = {};
    action.sa_handler = on_jump;
    EXPECT(sigaction(SIGALRM, &action, nullptr) == 0);
    launch();
    for (volatile int i = 0; i < 3; i++) {
        if (sigsetjmp(back, 1) == 0) {
            ualarm(20000, 0);
            EXPECT(read(sp[1], half, 1) == -100);
        }
    }
    EXPECT(write(sp[0], "d", 1) == 1 && read(sp[1], half, 1) == 1 && half[0] == 'd');
    wait_();

    // A thread that is cancelled in a call.
    launch();
    pthread_create(&thread, nullptr, read_one, half);
    soon();
    pthread_cancel(thread);
    pthread_join(thread, &result);
    EXPECT(result == PTHREAD_CANCELED);
    wait_();

    // The program's own handler of SIGSYS is its own.
    struct sigaction mine {}, got {};
    mine.sa_handler = on_signal;
    EXPECT(sigaction(SIGSYS, &mine, nullptr) == 0 && sigaction(SIGSYS, nullptr, &got) == 0);
    EXPECT(got.sa_handler == on_signal);
    int before = signals;
    raise(SIGSYS);
    EXPECT(signals == before + 1);
    EXPECT(read(sp[1], &c, 1) == 1);

    // Processes.
    launch();
    pid_t child;
    char *shell[] = {(char *)"sh", (char *)"-c", (char *)"exit 7", nullptr};
    EXPECT(posix_spawnp(&child, "sh", nullptr, nullptr, shell, environ) == 0);
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    EXPECT(WEXITSTATUS(system("exit 5")) == 5);
    FILE *pipe = popen("echo fine", "r");
    EXPECT(fgets(half, 16, pipe) && !strcmp(half, "fine\n") && pclose(pipe) == 0);
    child = vfork();
    if (child == 0) _exit(9);
    EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 9);
    child = fork();
    if (child == 0) { char own[8]; syscall(SYS_exit_group, read(open("/dev/zero", O_RDONLY), own, 8)); }
    EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 8);
    wait_();

    // Threads of threads, many calls, and host functions.
    launch();
    int zero = open("/dev/zero", O_RDONLY);
    std::thread outer([&] {
        std::thread([&] {
            for (int i = 0; i < 1000; i++) EXPECT(read(zero, half + 256, 16) == 16);
        }).join();
    });
    for (int i = 0; i < 1000; i++) EXPECT(read(zero, half + 512, 16) == 16);
    outer.join();
    wait_();
    OK(cudaLaunchHostFunc(nullptr, host_function, nullptr));
    launch();
    wait_();
    puts("ok");
}
