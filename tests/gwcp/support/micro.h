// What the micro-benchmarks share: one block of variables, locks, flags and the launch.
//
// Thread 1, 2 and 3 of the comments are the first threads of blocks 0, 1 and 2, unless a
// file says otherwise.
#pragma once

#include <cstdio>
#include <cuda_runtime.h>

/// Data, locks and flags each have a line of memory of their own: where ScoRD's metadata cache has one
/// entry for sixteen neighbouring words, a lock would otherwise push out what is known of its data.
struct Shared {
    alignas(128) int x;
    alignas(128) int y;
    alignas(128) int z;
    alignas(128) int out;
    alignas(128) int lock_l;
    alignas(128) int lock_m;
    alignas(128) int flag;
    alignas(128) int second_flag;
    alignas(128) int many[128];
};

/// A volatile access: strong for the PTX model, unless `--volatile weak` asks about the program with
/// ordinary accesses, and for the detectors of the papers, to whom it is data all the same.
__device__ inline volatile int &strong(int &variable) { return variable; }

/// A lock for the whole device: compare-and-swap and fence, fence and exchange.
__device__ inline void lock(int &l) {
    while (atomicCAS(&l, 0, 1) != 0) {}
    __threadfence();
}

__device__ inline void unlock(int &l) {
    __threadfence();
    atomicExch(&l, 0);
}

/// A lock whose fences reach the own block only.
__device__ inline void lock_block_fence(int &l) {
    while (atomicCAS(&l, 0, 1) != 0) {}
    __threadfence_block();
}

__device__ inline void unlock_block_fence(int &l) {
    __threadfence_block();
    atomicExch(&l, 0);
}

/// A flag, strong but without any fence: it orders nothing but itself. Its operations are
/// atomics, as in the ScoR suite: to the papers' detectors volatile accesses are data, and race.
__device__ inline void raise_flag(int &flag) { atomicExch(&flag, 1); }

__device__ inline void await_flag(int &flag) {
    while (atomicAdd(&flag, 0) == 0) {}
}

/// Waits for a flag, but not for ever. So the order in which the usual run happens is no
/// necessity: another run gives up waiting, and the race comes to light.
__device__ inline void await_flag_for_a_while(int &flag) {
    for (int i = 0; i < 200 && atomicAdd(&flag, 0) == 0; ++i) {}
}

/// Which of the threads 1, 2, 3 is it? 0 if none.
__device__ inline int which_thread() { return threadIdx.x == 0 ? blockIdx.x + 1 : 0; }

/// Launches the kernel on zeroed variables and waits for it; the exit status of `main`.
inline int run(void (*kernel)(Shared *), int blocks, int threads) {
    Shared *shared;
    cudaError_t error = cudaMalloc(&shared, sizeof *shared);
    if (error == cudaSuccess) error = cudaMemset(shared, 0, sizeof *shared);
    if (error == cudaSuccess) kernel<<<blocks, threads>>>(shared);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaFree(shared);
    if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
