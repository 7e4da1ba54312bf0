// Kernels of which only the host code tells whether they have a race: `warprace prove -- nvcc … hosted.cu` reads it.
// Names end with what is true of the launches below; the program itself need not run.

#include <cstdio>
#include <cstdlib>
#include <cassert>

// A row for each block, as long as the host says.
__global__ void rows_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = pitch; }
__global__ void rows_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = pitch; }

// Halves that a loop launches: as many threads as the stride, or twice as many.
__global__ void halves_clean(int *a, int stride) { a[threadIdx.x] += a[threadIdx.x + stride]; }
__global__ void halves_race(int *a, int stride) { a[threadIdx.x] += a[threadIdx.x + stride]; }

// Two pointers into one array, or into two.
__global__ void shift_clean(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void shift_race(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }

// The program's argument decides, but not everything.
__global__ void tiles_clean(int *a, int n) {
    if (threadIdx.x < n) a[blockIdx.x * 128 + threadIdx.x] = n;
}
__global__ void tiles_race(int *a, int n) {
    if (threadIdx.x < n) a[blockIdx.x * 64 + threadIdx.x] = n;
}

// Blocks in a line, of which the program's argument says how many, and in two dimensions.
__global__ void line_clean(int *a, int n) {
    if (blockIdx.y < 1000 && blockIdx.z < 1000) a[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
__global__ void line_race(int *a, int n) {
    if (blockIdx.y < 1000 && blockIdx.z < 1000) a[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// One of several kernels, by its address, with sizes from a structure.
__global__ void first_clean(int *a, int pitch) { a[threadIdx.y * pitch + threadIdx.x] = 1; }
__global__ void second_race(int *a, int pitch) { a[threadIdx.y * pitch + threadIdx.x / 2] = threadIdx.x; }

// All blocks at once, with arguments in an array.
__global__ void whole_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 3; }
__global__ void whole_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 3; }

// A template, launched by a function of its own under a condition.
template <int Width> __global__ void columns_clean(int *a, int n) { a[threadIdx.x * n + threadIdx.y % Width] = n; }
template <int Width> __global__ void columns_race(int *a, int n) { a[threadIdx.x * n + threadIdx.y % Width] = n; }

// Started without arguments the program has the sizes that are written last on the way, in a variable that a function reads.
__global__ void unasked_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 5; }
__global__ void unasked_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 5; }

// Two dimensions in numbers, with a value that only the device has.
__global__ void plane_clean(float *a, int width, float x) {
    a[(blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x] = x > 1 ? x : sinf(x);
}
__global__ void plane_race(float *a, int width, float x) {
    a[(blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// Rows that the allocation lays out, as far apart as they are wide at least; half of the 512 bytes is too near.
__global__ void pitched_clean(char *a, size_t pitch) { ((int *)(a + blockIdx.x * pitch))[threadIdx.x] = 1; }
__global__ void pitched_race(char *a, size_t pitch) { ((int *)(a + blockIdx.x * (pitch / 2)))[threadIdx.x] = 1; }

// As many tiles as there are in a row, of a width that is not known; one more reaches into the next row.
__global__ void whole_tiles_clean(int *a, int width) {
    a[(blockIdx.y * 8 + threadIdx.y) * width + blockIdx.x * 32 + threadIdx.x] = 1;
}
__global__ void whole_tiles_open(int *a, int width) {
    a[(blockIdx.y * 8 + threadIdx.y) * width + blockIdx.x * 32 + threadIdx.x] = 1;
}

// Two numbers in a structure, which is passed as one of 64 bits.
__global__ void structure_clean(int *a, int width) {
    int x = blockIdx.x * 16 + threadIdx.x;
    if (x < width) a[(blockIdx.y * 16 + threadIdx.y) * width + x] = 1;
}
__global__ void structure_open(int *a, int width) {
    a[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x] = 1;
}
struct Size {
    int width, height;
};
__attribute__((noinline)) void structure(int *a, Size s) {
    dim3 grid((s.width + 15) / 16, (s.height + 15) / 16);
    structure_clean<<<grid, dim3(16, 16)>>>(a, s.width);
    structure_open<<<grid, dim3(16, 16)>>>(a, s.width);
}

// Nobody launches it.
__global__ void unused_race(int *a) { a[0] = threadIdx.x; }

struct Plan {
    int *data;
    int pitch;
    dim3 threads;
};

static void make(Plan &plan, int pitch) {
    plan.pitch = pitch;
    plan.threads = dim3(pitch, 4);
    cudaMalloc(&plan.data, 4 * pitch * sizeof(int));
}

template <int Width> static void columns(int *a, int n) {
    if (n < Width) return;
    columns_clean<Width><<<1, dim3(8, Width)>>>(a, n);
    columns_race<Width><<<1, dim3(8, n + 1)>>>(a, n);
}

__attribute__((noinline)) void unasked(int *a, const dim3 &threads, int pitch) {
    unasked_clean<<<4, threads>>>(a, pitch);
    unasked_race<<<4, threads>>>(a, pitch / 2);
}

// What is raced for before memory decides how often it is done again.
__global__ void early_race(int *a, const int *work) {
    __shared__ int done;
    for (int n = 0;; n++) {
        done = 1;
        __syncthreads();
        if (threadIdx.x == 0 && work[n]) done = 0;
        __syncthreads();
        if (done) break;
        __syncthreads();
    }
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void early_clean(int *a, const int *work) {
    __shared__ int done;
    if (threadIdx.x == 0) done = work[0];
    __syncthreads();
    a[blockIdx.x * blockDim.x + threadIdx.x] = done;
}

// One of two launches is made: both race, or one does.
__global__ void chosen_race(int *a, int n) { a[threadIdx.x / n] = threadIdx.x; }
__global__ void chosen_open(int *a, int n) { a[threadIdx.x / n] = threadIdx.x; }

// What memory holds decides in these, but not about the race.
template <bool Meet> __device__ void pass_on(int *a, const int *table, int n) {
    __shared__ int neighbour[64];
    neighbour[threadIdx.x] = n;
    if (Meet) __syncthreads();
    a[blockIdx.x * 64 + threadIdx.x] = table[neighbour[threadIdx.x ^ 1] & 63];
}
__global__ void neighbours_clean(int *a, const int *table, int n) { pass_on<true>(a, table, n); }
__global__ void neighbours_race(int *a, const int *table, int n) { pass_on<false>(a, table, n); }
// Of these neither the grid nor an argument is known.
__global__ void somehow_clean(int *a, const int *table, int n) { pass_on<true>(a, table, n); }
__global__ void somehow_race(int *a, const int *table, int n) { pass_on<false>(a, table, n); }
// It races with some contents of memory: the host writes others.
__global__ void scatter_open(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
// Too long to be run to its end.
__global__ void long_race(int *a, int n) {
    for (int i = 0; i < n; i++) a[threadIdx.x / 2] = i;
}

// Launched only on devices of a kind: that there are, or are not. Of no other reason is it known that it may hold.
__global__ void newer_race(int *a) { a[0] = threadIdx.x; }
__global__ void older_open(int *a) { a[0] = threadIdx.x; }
__global__ void picked_open(int *a, int pitch) { a[threadIdx.x / pitch] = threadIdx.x; }
__global__ void shared_open(int *a, int n) {
    __shared__ int tile[1];
    tile[0] = threadIdx.x;
    a[n] = tile[0];
}
__global__ void asked_race(int *a) { a[0] = threadIdx.x; }
__global__ void perhaps_open(int *a) { a[0] = threadIdx.x; }
__global__ void opened_race(int *a) { a[0] = threadIdx.x; }
__global__ void either_way_race(int *a) { a[0] = threadIdx.x; }

static int conditions(int *a, int argc) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    if (properties.major == 8) newer_race<<<1, 64>>>(a);
    int version = properties.major * 10 + properties.minor;
    if (version < 30) older_open<<<1, 64>>>(a);
    int threads = version >= 30 ? 1 : 64;
    if (threads == 64) picked_open<<<1, threads>>>(a, 64);
    if (properties.warpSize != 32) shared_open<<<1, 64>>>(a, rand());
    if (argc > 2) asked_race<<<1, 64>>>(a);
    if (rand() % 3 == 0) perhaps_open<<<1, 64>>>(a);
    FILE *file = fopen("hosted.txt", "r");
    if (!file) return 2;
    opened_race<<<1, 64>>>(a);
    if (fgetc(file) == 'a') {
        either_way_race<<<1, 64>>>(a);
    } else {
        either_way_race<<<1, 64>>>(a);
        printf("another one\n");
    }
    return 0;
}

int main(int argc, char **argv) {
    int *a, *b;
    cudaMalloc(&a, 1 << 16);
    cudaMalloc(&b, 1 << 16);
    if (conditions(a, argc) != 0) return 2;
    int pitch = 64;
    rows_clean<<<4, pitch>>>(a, pitch);
    rows_race<<<4, pitch>>>(a, pitch - 1);
    for (int stride = 128; stride > 0; stride >>= 1) {
        halves_clean<<<1, stride>>>(a, stride);
        halves_race<<<1, 2 * stride>>>(a, stride);
    }
    shift_clean<<<1, 100>>>(a, b);
    shift_race<<<1, 100>>>(a, a + 1);
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    tiles_clean<<<(n + 127) / 128, 128>>>(a, n);
    tiles_race<<<(argc + 255) / 128, 128>>>(a, argc);
    Plan plan;
    make(plan, 32);
    for (int k = 0; k < 2; k++) {
        void (*kernel)(int *, int) = k == 0 ? first_clean : second_race;
        kernel<<<1, plan.threads>>>(plan.data, plan.pitch);
    }
    int threads = 96;
    void *arguments[] = {&a, &threads};
    cudaLaunchCooperativeKernel((const void *)whole_clean, dim3(3), dim3(threads), arguments, 0, 0);
    cudaLaunchCooperativeKernel((const void *)whole_race, dim3(3), dim3(threads + 1), arguments, 0, 0);
    int blocks = argc > 1 ? atoi(argv[1]) : rand();
    cudaLaunchCooperativeKernel((const void *)line_clean, dim3(blocks), dim3(64), arguments, 0, 0);
    cudaLaunchCooperativeKernel((const void *)line_race, dim3(4, 2), dim3(64), arguments, 0, 0);
    columns<8>(a, 8);
    float x = rand() * 0.001f;
    plane_clean<<<dim3(8, 4), dim3(8, 8)>>>((float *)a, 64, x);
    plane_race<<<dim3(8, 4), dim3(8, 8)>>>((float *)a, 63, x);
    dim3 sizes(16);
    sizes.x *= 4;
    if (argc > 1) sizes.x = rand();
    unasked(a, sizes, argc > 2 ? rand() : 64);
    neighbours_clean<<<4, 64>>>(a, b, 3);
    neighbours_race<<<4, 64>>>(a, b, 3);
    somehow_clean<<<1 + rand() % 16, 64>>>(a, b, rand());
    somehow_race<<<1 + rand() % 16, 64>>>(a, b, rand());
    int index[64];
    for (int i = 0; i < 64; i++) index[i] = 63 - i;
    cudaMemcpy(b, index, sizeof index, cudaMemcpyHostToDevice);
    scatter_open<<<1, 64>>>(a, b);
    early_race<<<4, 64>>>(a, b);
    early_clean<<<4, 64>>>(a, b);
    int many = 2, few = 1;
    if (rand() % 3 == 0) {
        printf("as many\n");
        many = 5, few = 2;
    }
    chosen_race<<<1, 64>>>(a, many);
    chosen_open<<<1, 64>>>(a, few);
    long_race<<<5000, 64>>>(a, 4000);
    char *image;
    size_t between;
    cudaMallocPitch(&image, &between, 100 * sizeof(int), 8);
    pitched_clean<<<8, 100>>>(image, between);
    pitched_race<<<8, 100>>>(image, between);
    int width = rand();
    whole_tiles_clean<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(a, width);
    whole_tiles_open<<<dim3(width / 32 + 1, width / 8), dim3(32, 8)>>>(a, width);
    structure(a, {rand(), rand()});
    structure(a, {rand(), rand()});
    if (cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "it failed\n");
        exit(1);
    }
    return 0;
}
