// Own versions of the cases of Table 3 of Stephenson et al., "SuperCollider" (PLDI 2026), one by its name in the first argument. Each
// does what its line of the table says, again and again, so that the threads meet; docs/results/gpu.md has what was found.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

const int TURNS = 2000;

// The compiler is to make each turn's accesses.
__device__ void kept() { asm volatile("" ::: "memory"); }
#define AGAIN(i) _Pragma("unroll 1") for (int i = 0; i < TURNS; i++, kept())

__device__ unsigned shared_address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__global__ void subwarp_rw(int *out) {
    __shared__ int s[32];
    int lane = threadIdx.x, sum = 0;
    s[lane] = 0;
    __syncwarp();
    AGAIN(i)
        if (lane < 16) s[lane] = i;
        else sum += s[lane - 16];
    out[lane] = sum;
}

__global__ void subwarp_ww(int *out) {
    __shared__ int s[16];
    int lane = threadIdx.x;
    AGAIN(i)
        if (lane < 16) s[lane] = i;
        else s[lane - 16] = -i;
    __syncwarp();
    out[lane] = s[lane % 16];
}

// Warp 0 copies, warp 1 writes what is copied.
__global__ void async_global_rw(int *data, int *out) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    AGAIN(i)
        if (threadIdx.x < 32) {
            __pipeline_memcpy_async(&s[lane], &data[lane], 4);
            __pipeline_commit();
            __pipeline_wait_prior(0);
        } else {
            data[lane] = i;
        }
    out[threadIdx.x] = s[lane];
}

__global__ void async_shared_rw(const int *data, int *out) {
    __shared__ int s[32];
    int sum = 0;
    AGAIN(i) {
        __pipeline_memcpy_async(&s[threadIdx.x], &data[(i * 32 + threadIdx.x) % 4096], 4);
        __pipeline_commit();
        sum += s[threadIdx.x ^ 1];
        __pipeline_wait_prior(0);
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}

__global__ void async_shared_ww(const int *data, int *out) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    AGAIN(i) {
        __pipeline_memcpy_async(&s[lane], &data[(i * 64 + threadIdx.x) % 4096], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    out[threadIdx.x] = s[lane];
}

const int BULK = 1024;

__device__ void store_bulk(void *to, const void *from) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(BULK)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_bulk() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__global__ void store_bulk_shared_rw(int *data) {
    __shared__ alignas(128) int s[BULK / 4];
    AGAIN(i)
        if (threadIdx.x == 0) {
            store_bulk(data, s);
            wait_bulk();
        } else if (threadIdx.x >= 32) {
            s[threadIdx.x - 32] = i;
        }
}

__global__ void store_bulk_global_rw(int *data, int *out) {
    __shared__ alignas(128) int s[BULK / 4];
    int sum = 0;
    AGAIN(i) {
        s[threadIdx.x] = i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) store_bulk(data, s);
        sum += data[threadIdx.x];
        if (threadIdx.x == 0) wait_bulk();
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

__global__ void store_bulk_ww(int *data) {
    __shared__ alignas(128) int s[2][BULK / 4];
    s[0][threadIdx.x] = 1;
    s[1][threadIdx.x] = 2;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    AGAIN(i) {
        if (threadIdx.x == 0) store_bulk(data, s[i % 2]);
        data[threadIdx.x] = -1;
        if (threadIdx.x == 0) wait_bulk();
    }
}

// One thread has a tile brought by a bulk copy, which `while_it_comes` is to leave alone.
template <typename F> __device__ void load_bulk(int *s, const int *data, F while_it_comes) {
    __shared__ alignas(8) unsigned long long barrier;
    unsigned at = shared_address(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    AGAIN(i) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(BULK) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             shared_address(s)),
                         "l"(data + i % 8 * 256), "r"(BULK), "r"(at)
                         : "memory");
        }
        while_it_comes(i);
        int done = 0;
        while (!done)
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}"
                         : "=r"(done)
                         : "r"(at), "r"(i & 1)
                         : "memory");
        __syncthreads();
    }
}

__global__ void load_bulk_shared_rw(const int *data, int *out) {
    __shared__ alignas(128) int s[BULK / 4];
    int sum = 0;
    load_bulk(s, data, [&](int) { sum += s[threadIdx.x]; });
    out[threadIdx.x] = sum;
}

__global__ void load_bulk_shared_ww(const int *data, int *out) {
    __shared__ alignas(128) int s[BULK / 4];
    load_bulk(s, data, [&](int i) { s[threadIdx.x] = -i; });
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void load_bulk_global_rw(int *data, int *out) {
    __shared__ alignas(128) int s[BULK / 4];
    load_bulk(s, data, [&](int i) { data[i % 8 * 256 + threadIdx.x] = i; });
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) distributed_rw(int *out) {
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = 0;
    cluster.sync();
    int *other = cluster.map_shared_rank(s, 1 - cluster.block_rank()), sum = 0;
    AGAIN(i) {
        s[threadIdx.x] = i;
        sum += other[threadIdx.x];
    }
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

__global__ void __cluster_dims__(2, 1, 1) distributed_ww(int *out) {
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    cluster.sync();
    int *first = cluster.map_shared_rank(s, 0);
    AGAIN(i) first[threadIdx.x] = 2 * i + rank;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

// The first and the last block write to one place.
__global__ void waves_ww(int *data) {
    if (blockIdx.x == 0 || blockIdx.x == gridDim.x - 1) data[threadIdx.x] = blockIdx.x;
    else data[blockIdx.x * 64 + threadIdx.x] = 1;
}

__global__ void produce(int *data) {
    AGAIN(i) data[threadIdx.x] = i;
}

__global__ void consume(const int *data, int *out) {
    int sum = 0;
    AGAIN(i) sum += ((const int *)data)[(threadIdx.x + i * 32) % 1024];
    out[threadIdx.x] = sum;
}

__global__ void produce_other(int *data) {
    AGAIN(i) data[threadIdx.x] = -i;
}

// Bytes of one word: nothing is shared.
template <bool SHARED, bool READS> __global__ void bytes(unsigned char *data, int *out) {
    __shared__ unsigned char s[64];
    unsigned char *own = SHARED ? s : data;
    int sum = 0;
    own[threadIdx.x] = 0;
    AGAIN(i) {
        if (!READS || threadIdx.x % 2) own[threadIdx.x] = i;
        if (READS && threadIdx.x % 2 == 0) sum += own[threadIdx.x];
    }
    out[threadIdx.x] = sum + own[threadIdx.x];
}

static int *device_ints(int count, int device = 0) {
    int *p;
    cudaSetDevice(device);
    cudaMalloc(&p, sizeof *p * count);
    cudaMemset(p, 0, sizeof *p * count);
    return p;
}

static int *managed_ints(int count) {
    int *p;
    cudaMallocManaged(&p, sizeof *p * count);
    std::memset(p, 0, sizeof *p * count);
    return p;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    auto is = [&](const char *other) { return !std::strcmp(name, other); };
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    int *out = device_ints(4096);
    if (is("subwarp-shared-rw")) subwarp_rw<<<1, 32>>>(out);
    else if (is("subwarp-shared-ww")) subwarp_ww<<<1, 32>>>(out);
    else if (is("cp-async-global-rw")) async_global_rw<<<1, 64>>>(device_ints(4096), out);
    else if (is("cp-async-shared-rw")) {
        int *data = device_ints(4096), host[4096];
        for (int i = 0; i < 4096; i++) host[i] = i;
        cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
        async_shared_rw<<<1, 32>>>(data, out);
    } else if (is("cp-async-shared-ww")) {
        int *data = device_ints(4096), host[4096];
        for (int i = 0; i < 4096; i++) host[i] = i;
        cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
        async_shared_ww<<<1, 64>>>(data, out);
    } else if (is("bulk-store-shared-rw")) store_bulk_shared_rw<<<1, 288>>>(device_ints(4096));
    else if (is("bulk-store-global-rw")) store_bulk_global_rw<<<1, 256>>>(device_ints(4096), out);
    else if (is("bulk-store-ww")) store_bulk_ww<<<1, 256>>>(device_ints(4096));
    else if (is("bulk-load-shared-rw") || is("bulk-load-shared-ww")) {
        int *data = device_ints(4096), host[4096];
        for (int i = 0; i < 4096; i++) host[i] = i + 1;
        cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
        if (is("bulk-load-shared-rw")) load_bulk_shared_rw<<<1, 256>>>(data, out);
        else load_bulk_shared_ww<<<1, 256>>>(data, out);
    } else if (is("bulk-load-global-rw")) load_bulk_global_rw<<<1, 256>>>(device_ints(4096), out);
    else if (is("distributed-rw")) distributed_rw<<<2, 32>>>(out);
    else if (is("distributed-ww")) distributed_ww<<<2, 32>>>(out);
    else if (is("waves-ww")) waves_ww<<<100000, 64>>>(device_ints(100000 * 64));
    else if (is("kernels-rw")) {
        int *data = device_ints(1024);
        for (int i = 0; i < 20; i++) {
            produce<<<1, 1024, 0, a>>>(data);
            consume<<<1, 1024, 0, b>>>(data, out);
        }
    } else if (is("kernels-ww")) {
        int *data = device_ints(1024);
        for (int i = 0; i < 20; i++) {
            produce<<<1, 1024, 0, a>>>(data);
            produce_other<<<1, 1024, 0, b>>>(data);
        }
    } else if (is("upload-rw")) {
        int *data = device_ints(1024), *host;
        cudaMallocHost(&host, sizeof *host * 1024);
        for (int i = 0; i < 200; i++) {
            for (int k = 0; k < 1024; k++) host[k] = i + k;
            cudaMemcpyAsync(data, host, sizeof *host * 1024, cudaMemcpyHostToDevice, a);
            consume<<<1, 1024, 0, b>>>(data, out);
            cudaStreamSynchronize(a);
        }
    } else if (is("download-rw")) {
        int *data = device_ints(1024), *host;
        cudaMallocHost(&host, sizeof *host * 1024);
        for (int i = 0; i < 200; i++) {
            produce<<<1, 1024, 0, b>>>(data);
            cudaMemcpyAsync(host, data, sizeof *host * 1024, cudaMemcpyDeviceToHost, a);
        }
    } else if (is("devices-rw") || is("devices-ww")) {
        int devices = 0;
        cudaGetDeviceCount(&devices);
        if (devices < 2) return std::puts("needs two devices"), 2;
        int *data = managed_ints(1024);
        int *far = device_ints(1024, 1);
        for (int i = 0; i < 20; i++) {
            cudaSetDevice(0);
            produce<<<1, 1024>>>(data);
            cudaSetDevice(1);
            if (is("devices-rw")) consume<<<1, 1024>>>(data, far);
            else produce_other<<<1, 1024>>>(data);
        }
        cudaDeviceSynchronize();
        cudaSetDevice(0);
    } else if (is("host-reads")) {
        int *data = managed_ints(1024), sum = 0;
        produce<<<1, 1024>>>(data);
        for (int k = 0; k < 1024; k++) sum += ((volatile int *)data)[k];
        std::printf("%d\n", sum < 0);
    } else if (is("host-updates")) {
        int *data = managed_ints(1024);
        for (int i = 0; i < 20; i++) {
            consume<<<1, 1024>>>(data, out);
            for (int k = 0; k < 200000; k++) ((volatile int *)data)[k % 1024] = k;
        }
    } else if (is("host-writes-ww")) {
        int *data = managed_ints(1024);
        for (int i = 0; i < 20; i++) {
            produce<<<1, 1024>>>(data);
            for (int k = 0; k < 200000; k++) ((volatile int *)data)[k % 1024] = -k;
        }
    } else if (is("bytes-shared-rw")) bytes<true, true><<<1, 64>>>((unsigned char *)device_ints(64), out);
    else if (is("bytes-shared-ww")) bytes<true, false><<<1, 64>>>((unsigned char *)device_ints(64), out);
    else if (is("bytes-global-rw")) bytes<false, true><<<1, 64>>>((unsigned char *)device_ints(64), out);
    else if (is("bytes-global-ww")) bytes<false, false><<<1, 64>>>((unsigned char *)device_ints(64), out);
    else return std::puts("there is no such case"), 2;
    cudaError_t error = cudaDeviceSynchronize();
    std::puts(cudaGetErrorName(error));
    return error != cudaSuccess;
}
