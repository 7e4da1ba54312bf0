// The many ends of a process, after a launch.
#include "check.h"
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

__global__ void one(int *p) { *p = 1; }
__global__ void forever(volatile int *p) { while (*p == 0) __nanosleep(1000); }

int main(int argc, char **argv) {
    const char *how = argv[1];
    int *p, status;
    if (!std::strcmp(how, "fork-first")) {
        // A child may use CUDA if its parent has not.
        pid_t child = fork();
        if (child != 0) {
            waitpid(child, &status, 0);
            EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 5);
        }
    }
    if (!std::strcmp(how, "refused")) {
        // What the driver does not have is no error, and leaves none behind.
        void *entry = argv;
        cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
        OK(cudaGetDriverEntryPointByVersion("cuNoSuch", &entry, 12000, 0, &found));
        EXPECT(entry == nullptr && found == cudaDriverEntryPointSymbolNotFound);
        OK(cudaGetDriverEntryPointByVersion("cuInit", &entry, 12000, 0, &found));
        EXPECT(entry != nullptr && found == cudaDriverEntryPointSuccess);
        OK(cudaGetLastError());
        FAILS(cudaGraphDebugDotPrint(nullptr, "none", 0), cudaErrorNotSupported);
        std::abort();
    }
    OK(cudaMalloc(&p, 4));
    if (!std::strcmp(how, "in-its-first-kernel")) {
        OK(cudaMemset(p, 0, 4));
        forever<<<1, 1>>>(p);
        usleep(400000);
        kill(getpid(), SIGKILL);
    }
    one<<<1, 1>>>(p);
    OK(cudaDeviceSynchronize());
    std::fflush(stdout);
    if (!std::strcmp(how, "fork-first")) return 5;
    if (!std::strcmp(how, "fork-later")) {
        pid_t child = fork();
        if (child == 0) {
            // Contexts do not survive a fork.
            FAILS(cudaMalloc(&p, 4), cudaErrorInitializationError);
            _exit(6);
        }
        waitpid(child, &status, 0);
        EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 6);
        OK(cudaFree(p));
        return 7;
    }
    if (!std::strcmp(how, "_exit")) _exit(8);
    if (!std::strcmp(how, "exit")) std::exit(9);
    if (!std::strcmp(how, "abort")) std::abort();
    if (!std::strcmp(how, "kill")) {
        usleep(400000);
        kill(getpid(), SIGKILL);
    }
    // The host must not touch device memory.
    if (!std::strcmp(how, "dereference")) return *(volatile int *)p;
    // Nor does a launch have to be waited for.
    if (!std::strcmp(how, "unfinished")) {
        one<<<1, 1>>>(p);
        return 0;
    }
    return 1;
}
