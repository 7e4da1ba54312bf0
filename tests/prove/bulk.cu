// Kernels in pairs, as in patterns.cu: bulk copies that complete at mbarriers by their bytes. `bulk.ptx` is made from this file:
// see README.md.

#define K extern "C" __global__ void __launch_bounds__(64)

__device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void init(unsigned m, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(m), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(unsigned m) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(m) : "memory");
}
__device__ __forceinline__ void expect(unsigned m, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(m), "r"(bytes) : "memory");
}
__device__ __forceinline__ void load(const void *to, const void *from, unsigned bytes, unsigned m) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(m) : "memory");
}
__device__ __forceinline__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void wait(unsigned m, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(m), "r"(parity)
                     : "memory");
}

K tile_clean(const float *a, float *b, int n) { // a block waits for one copy
    __shared__ alignas(128) float s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 1);
    __syncthreads();
    if (t == 0) {
        expect(at(&full), 256);
        load(s, a + blockIdx.x * 64, 256, at(&full));
    }
    wait(at(&full), 0);
    b[blockIdx.x * 64 + t] = s[63 - t];
}

K tile_race(const float *a, float *b, int n) { // it reads before it waits
    __shared__ alignas(128) float s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 1);
    __syncthreads();
    if (t == 0) {
        expect(at(&full), 256);
        load(s, a + blockIdx.x * 64, 256, at(&full));
    }
    b[blockIdx.x * 64 + t] = s[63 - t];
    wait(at(&full), 0);
}

K ring_clean(const float *a, float *b, int n) { // two stages, by one thread for one warp
    __shared__ alignas(128) float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K ring_race(const float *a, float *b, int n) { // the warp gives a stage back before it has read it
    __shared__ alignas(128) float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            fence();
            arrive(at(&empty[stage]));
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
        }
    }
}

K copied_first_clean(const float *a, float *b, int n) { // the copy and the arrival in the other order
    __shared__ alignas(128) float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
            expect(at(&full[stage]), 128);
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K copied_first_race(const float *a, float *b, int n) { // the copy goes to the other stage
    __shared__ alignas(128) float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            load(s[stage ^ 1], a + i * 32, 128, at(&full[stage]));
            expect(at(&full[stage]), 128);
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K phase_clean(const float *a, float *b, int n) { // one stage
    __shared__ alignas(128) float s[1][32];
    __shared__ unsigned long long full[1], empty[1];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 1; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 1, round = i / 1 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 1, round = i / 1 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K phase_race(const float *a, float *b, int n) { // the warp waits for every other phase only
    __shared__ alignas(128) float s[1][32];
    __shared__ unsigned long long full[1], empty[1];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 1; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 1, round = i / 1 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 1, round = i / 1 & 1;
            if (round) wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K fenced_clean(const float *a, float *b, int n) { // the fence stands in front of the copy
    __shared__ alignas(128) float s[4][32];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 4; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&empty[stage]), round ^ 1);
            fence();
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            arrive(at(&empty[stage]));
        }
    }
}

K fenced_race(const float *a, float *b, int n) { // no proxy fence between a read and the copy
    __shared__ alignas(128) float s[4][32];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 4; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            arrive(at(&empty[stage]));
        }
    }
}

K halves_clean(const float *a, float *b, int n) { // two copies for one phase
    __shared__ alignas(128) float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 64, at(&full[stage]));
            load(s[stage] + 16, a + i * 32 + 16, 64, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K halves_race(const float *a, float *b, int n) { // bytes of one copy are not expected
    __shared__ alignas(128) float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 2; ++i) {
            init(at(&full[i]), 1);
            init(at(&empty[i]), 32);
        }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 64);
            load(s[stage], a + i * 32, 64, at(&full[stage]));
            load(s[stage] + 16, a + i * 32 + 16, 64, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K cleared_clean(const float *a, float *b, int n) { // a tile is cleared before a part of it is copied
    __shared__ alignas(128) float s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 1);
    s[t] = 0;
    fence();
    __syncthreads();
    if (t == 0) {
        expect(at(&full), 128);
        load(s, a + blockIdx.x * 32, 128, at(&full));
    }
    wait(at(&full), 0);
    b[blockIdx.x * 64 + t] = s[63 - t];
}

K cleared_race(const float *a, float *b, int n) { // no proxy fence behind the stores
    __shared__ alignas(128) float s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 1);
    s[t] = 0;
    __syncthreads();
    if (t == 0) {
        expect(at(&full), 128);
        load(s, a + blockIdx.x * 32, 128, at(&full));
    }
    wait(at(&full), 0);
    b[blockIdx.x * 64 + t] = s[63 - t];
}

K begun_clean(const float *a, float *b, int n) { // the thread that sets it up uses it before the barrier
    __shared__ alignas(128) float s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        init(at(&full), 1);
        expect(at(&full), 256);
        load(s, a + blockIdx.x * 64, 256, at(&full));
    }
    __syncthreads();
    wait(at(&full), 0);
    b[blockIdx.x * 64 + t] = s[63 - t];
}

K begun_race(const float *a, float *b, int n) { // another thread uses it before the barrier
    __shared__ alignas(128) float s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 32) init(at(&full), 1);
    if (t == 0) {
        expect(at(&full), 256);
        load(s, a + blockIdx.x * 64, 256, at(&full));
    }
    __syncthreads();
    wait(at(&full), 0);
    b[blockIdx.x * 64 + t] = s[63 - t];
}

K each_clean(const float *a, float *b, int n) { // each of four threads sets up one
    __shared__ alignas(128) float s[4][32];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x;
    if (t < 4) {
        init(at(&full[t]), 1);
        init(at(&empty[t]), 32);
    }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

K each_race(const float *a, float *b, int n) { // two threads set up each
    __shared__ alignas(128) float s[4][32];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x;
    if (t < 8) {
        init(at(&full[t / 2]), 1);
        init(at(&empty[t / 2]), 32);
    }
    __syncthreads();
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&empty[stage]), round ^ 1);
            expect(at(&full[stage]), 128);
            load(s[stage], a + i * 32, 128, at(&full[stage]));
        }
    } else if (t >= 32 && t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            fence();
            arrive(at(&empty[stage]));
        }
    }
}

extern __shared__ __align__(128) unsigned char memory[];

K sized_clean(const float *a, float *b, int n) { // mbarriers and tile are in shared memory of dynamic size
    unsigned long long *full = (unsigned long long *)memory;
    float *s = (float *)(memory + 128);
    int t = threadIdx.x;
    if (t == 0) init(at(full), 1);
    __syncthreads();
    if (t == 0) {
        expect(at(full), 256);
        load(s, a + blockIdx.x * 64, 256, at(full));
    }
    wait(at(full), 0);
    if (t < 64) b[blockIdx.x * 64 + t] = s[63 - t];
}

K sized_race(const float *a, float *b, int n) { // some threads do not wait
    unsigned long long *full = (unsigned long long *)memory;
    float *s = (float *)(memory + 128);
    int t = threadIdx.x;
    if (t == 0) init(at(full), 1);
    __syncthreads();
    if (t == 0) {
        expect(at(full), 256);
        load(s, a + blockIdx.x * 64, 256, at(full));
    }
    if (t < 32) wait(at(full), 0);
    if (t < 64) b[blockIdx.x * 64 + t] = s[63 - t];
}

__device__ __forceinline__ void fetch(const void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void arrive_behind_copies(unsigned m) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(m) : "memory");
}

K fetched_clean(const float *a, float *b, int n) { // copies of a warp arrive for it
    __shared__ float s[32];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 32);
    __syncthreads();
    if (t < 32) {
        fetch(&s[t], a + blockIdx.x * 32 + t);
        arrive_behind_copies(at(&full));
    } else if (t < 64) {
        wait(at(&full), 0);
        b[blockIdx.x * 32 + t - 32] = s[63 - t];
    }
}

K fetched_race(const float *a, float *b, int n) { // threads arrive themselves, without waiting for their copies
    __shared__ float s[32];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 32);
    __syncthreads();
    if (t < 32) {
        fetch(&s[t], a + blockIdx.x * 32 + t);
        arrive(at(&full));
    } else if (t < 64) {
        wait(at(&full), 0);
        b[blockIdx.x * 32 + t - 32] = s[63 - t];
    }
}

K fetched_in_turn_clean(const float *a, float *b, int n) { // a ring of stages that copies of a warp fill
    __shared__ float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t < 2) {
        init(at(&full[t]), 32);
        init(at(&empty[t]), 32);
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            fetch(&s[stage][t], a + i * 32 + t);
            arrive_behind_copies(at(&full[stage]));
        }
    } else if (t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            arrive(at(&empty[stage]));
        }
    }
}

K fetched_in_turn_race(const float *a, float *b, int n) { // a store is handed over by what only completes copies
    __shared__ float s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x;
    if (t < 2) {
        init(at(&full[t]), 32);
        init(at(&empty[t]), 32);
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&empty[stage]), round ^ 1);
            s[stage][t] = a[i * 32 + t];
            arrive_behind_copies(at(&full[stage]));
        }
    } else if (t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[stage][63 - t];
            arrive(at(&empty[stage]));
        }
    }
}

K passed_on_clean(const float *a, float *b, int n) { // a group of threads hands on what it was handed
    __shared__ float s[16];
    __shared__ unsigned long long first, second;
    int t = threadIdx.x;
    if (t == 0) {
        init(at(&first), 16);
        init(at(&second), 16);
    }
    __syncthreads();
    if (t < 16) {
        s[t] = a[blockIdx.x * 16 + t];
        arrive(at(&first));
    } else if (t < 32) {
        wait(at(&first), 0);
        arrive(at(&second));
    } else if (t < 48) {
        wait(at(&second), 0);
        b[blockIdx.x * 16 + t - 32] = s[47 - t];
    }
}

K passed_on_race(const float *a, float *b, int n) { // its copies arrive for it, which hand on nothing else
    __shared__ float s[16];
    __shared__ unsigned long long first, second;
    int t = threadIdx.x;
    if (t == 0) {
        init(at(&first), 16);
        init(at(&second), 16);
    }
    __syncthreads();
    if (t < 16) {
        s[t] = a[blockIdx.x * 16 + t];
        arrive(at(&first));
    } else if (t < 32) {
        wait(at(&first), 0);
        arrive_behind_copies(at(&second));
    } else if (t < 48) {
        wait(at(&second), 0);
        b[blockIdx.x * 16 + t - 32] = s[47 - t];
    }
}
