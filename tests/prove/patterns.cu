// Kernels in pairs: NAME_clean is free of races for all launches that its proof assumes, NAME_race has one.
// `patterns.ptx` is made from this file: see README.md.

#define K extern "C" __global__ void

K elementwise_clean(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
K elementwise_race(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i / 2] = a[i] + b[i];
}

K in_place_clean(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] * 2.0f;
}
K in_place_race(float *a, int n) { // reads its neighbour's, which is written
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) a[i] = a[i + 1] * 2.0f;
}

K two_elements_clean(float *a, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) { a[i] = 1; a[i + 1] = 2; }
}
K two_elements_race(float *a, int n) { // off by one: overlaps the next thread's
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 2 < n) { a[i] = 1; a[i + 1] = 2; a[i + 2] = 3; }
}

K grid_stride_clean(const float *a, float *c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + 1;
}
K grid_stride_race(const float *a, float *c, int n) { // strides by the block only
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + 1;
}
K grid_stride_unrolled_clean(const int *a, int *c, int n) { // the compiler has it four times, and its rest
    int all = blockDim.x * gridDim.x;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += all) c[i] = a[i];
}
K grid_stride_unrolled_race(const int *a, int *c, int n) { // one place too near
    int all = blockDim.x * gridDim.x - 1;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += all) c[i] = a[i];
}
K pitch_clean(const float *a, float *c, int h) { // rows of a width that is a number
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3072 && y < h) c[x + 3072 * y] = a[x + 3072 * y];
}
K pitch_race(const float *a, float *c, int h) { // one column too many
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= 30 && y < h) c[x + 30 * y] = a[x + 30 * y];
}

K block_loop_clean(float *c, int n) { // each block has a row
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[blockIdx.x * n + i] = 1;
}
K block_loop_race(float *c, int n) {
    for (int i = threadIdx.x; i <= n; i += blockDim.x) c[blockIdx.x * n + i] = 1;
}

K thread_chunk_clean(float *c, int m) { // a chunk for each thread
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < m; i++) c[t * m + i] = i;
}
K thread_chunk_race(float *c, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i <= m; i++) c[t * m + i] = i;
}

K two_d_clean(const float *a, float *c, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) c[y * w + x] = a[y * w + x];
}
K two_d_race(const float *a, float *c, int w, int h) { // the guard lets rows run into each other
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= w && y < h) c[y * w + x] = a[y * w + x];
}

K three_d_clean(float *c, int w, int h, int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < w && y < h && z < d) c[(z * h + y) * w + x] = 1;
}
K three_d_race(float *c, int w, int h, int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < w && y < h && z < d) c[y * w + x] = z;
}

K stencil_clean(const float *a, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1) c[i] = a[i - 1] + a[i] + a[i + 1];
}
K stencil_race(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1) a[i] = a[i - 1] + a[i] + a[i + 1];
}

K __launch_bounds__(256) stencil_shared_clean(const float *a, float *c, int n) {
    __shared__ float s[258];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 1] = i < n ? a[i] : 0;
    if (t == 0) s[0] = i > 0 ? a[i - 1] : 0;
    if (t == 255) s[257] = i + 1 < n ? a[i + 1] : 0;
    __syncthreads();
    if (i < n && blockDim.x == 256) c[i] = s[t] + s[t + 1] + s[t + 2];
}
K __launch_bounds__(256) stencil_shared_race(const float *a, float *c, int n) {
    __shared__ float s[258];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 1] = i < n ? a[i] : 0;
    if (t == 0) s[0] = i > 0 ? a[i - 1] : 0;
    if (t == 255) s[257] = i + 1 < n ? a[i + 1] : 0;
    if (i < n && blockDim.x == 256) c[i] = s[t] + s[t + 1] + s[t + 2];
}

K reverse_clean(const int *a, int *c) {
    __shared__ int s[1024];
    s[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    c[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
K reverse_race(const int *a, int *c) {
    __shared__ int s[1024];
    s[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    c[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

K transpose_clean(const float *a, float *c, int w, int h) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (threadIdx.x >= 16 || threadIdx.y >= 16) return;
    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w) c[y * h + x] = tile[threadIdx.x][threadIdx.y];
}
K transpose_race(const float *a, float *c, int w, int h) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (threadIdx.x >= 16 || threadIdx.y >= 16) return;
    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = a[y * w + x];
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w) c[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

K __launch_bounds__(256) matmul_clean(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    if (tx >= 16 || ty >= 16) return;
    float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        as[ty][tx] = a[row * n + t * 16 + tx];
        bs[ty][tx] = b[(t * 16 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
K __launch_bounds__(256) matmul_race(const float *a, const float *b, float *c, int n) { // no second barrier
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    if (tx >= 16 || ty >= 16) return;
    float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        as[ty][tx] = a[row * n + t * 16 + tx];
        bs[ty][tx] = b[(t * 16 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[ty][k] * bs[k][tx];
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

K tree_reduce_clean(const int *a, int *out) {
    __shared__ int s[1024];
    unsigned t = threadIdx.x;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
K tree_reduce_race(const int *a, int *out) { // no barrier in the loop
    __shared__ int s[1024];
    unsigned t = threadIdx.x;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = s[0];
}

K interleaved_reduce_clean(const int *a, int *out) {
    __shared__ int s[1024];
    unsigned t = threadIdx.x;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned i = 2 * d * t;
        if (i + d < blockDim.x) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
K interleaved_reduce_race(const int *a, int *out) { // steps of d in place of 2 d
    __shared__ int s[1024];
    unsigned t = threadIdx.x;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned i = d * t;
        if (i + d < blockDim.x) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

K warp_reduce_clean(const int *a, int *out) {
    __shared__ int s[32];
    int v = a[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < blockDim.x / 32; i++) sum += s[i];
        out[blockIdx.x] = sum;
    }
}
K warp_reduce_race(const int *a, int *out) {
    __shared__ int s[32];
    int v = a[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < blockDim.x / 32; i++) sum += s[i];
        out[blockIdx.x] = sum;
    }
}

K scan_clean(const int *a, int *out) {
    __shared__ int s[2048];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[t];
}
K scan_race(const int *a, int *out) { // reads and writes in one interval
    __shared__ int s[2048];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t >= d) s[t] += s[t - d];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[t];
}

K histogram_clean(const unsigned char *a, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[a[i]], 1);
}
K histogram_race(const unsigned char *a, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[a[i]]++;
}

K shared_histogram_clean(const unsigned char *a, int *bins, int n) {
    __shared__ int s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[a[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
K shared_histogram_race(const unsigned char *a, int *bins, int n) { // the clearing is not waited for
    __shared__ int s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[a[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}

K leader_clean(const int *a, int *out, int n) { // one thread decides for all
    __shared__ int limit;
    if (threadIdx.x == 0) limit = a[blockIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < limit && i < n; i += blockDim.x) out[blockIdx.x * n + i] = limit;
}
K leader_race(const int *a, int *out, int n) {
    __shared__ int limit;
    if (threadIdx.x == 0) limit = a[blockIdx.x];
    for (int i = threadIdx.x; i < limit && i < n; i += blockDim.x) out[blockIdx.x * n + i] = limit;
}

K last_element_clean(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == n - 1) out[0] = i;
}
K last_element_race(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) out[0] = i;
}

K counter_clean(int *out) { atomicAdd(out, 1); }
K counter_race(int *out) { *out += 1; }

K swap_halves_clean(int *a, int n) { // each pair is swapped by one thread
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { int t = a[i]; a[i] = a[i + n]; a[i + n] = t; }
}
K swap_halves_race(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { int t = a[i]; a[i] = a[n - i]; a[n - i] = t; }
}

K flatten_clean(const int *a, int *c, int w, int n) { // rows and columns of a flat index
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { int y = i / w, x = i % w; c[y * w + x] = a[i]; }
}
K flatten_race(const int *a, int *c, int w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { int y = i / w, x = i % w; c[y + x] = a[i]; }
}

K odd_even_clean(int *a, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n && a[i] > a[i + 1]) { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
}
K odd_even_race(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n && a[i] > a[i + 1]) { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
}

K vectors_clean(const float4 *a, float4 *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}
K vectors_race(const float4 *a, float *c, int n) { // four elements at steps of one
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float4 v = a[i]; c[i] = v.x; c[i + 1] = v.y; c[i + 2] = v.z; c[i + 3] = v.w; }
}

K block_lock_clean(int *out) { // only relaxed atomics touch it
    if (threadIdx.x == 0) atomicMax(out, (int)blockIdx.x);
}
K block_lock_race(int *out) {
    if (threadIdx.x == 0) *out = (int)blockIdx.x;
}

// Warps.

K warp_exchange_clean(int *a) { // for blocks of one dimension and any size
    __shared__ int s[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    __syncwarp();
    a[i] = s[threadIdx.x ^ 1];
}
K warp_exchange_race(int *a) {
    __shared__ int s[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    a[i] = s[threadIdx.x ^ 1];
}

K warp_leader_clean(const int *a, int *b) {
    __shared__ int s[32];
    int w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) s[w] = a[w];
    __syncwarp();
    b[blockIdx.x * blockDim.x + threadIdx.x] = s[w];
}
K warp_leader_race(const int *a, int *b) {
    __shared__ int s[33];
    int w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) s[w] = a[w];
    __syncwarp();
    b[blockIdx.x * blockDim.x + threadIdx.x] = s[w + 1]; // the next warp's
}

K warp_tree_clean(const int *a, int *b) {
    __shared__ int s[1024];
    int t = threadIdx.x, lane = t % 32;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        if (lane < d) s[t] += s[t + d];
        __syncwarp();
    }
    if (t == 0) b[blockIdx.x] = s[0];
}
K warp_tree_race(const int *a, int *b) {
    __shared__ int s[1024];
    int t = threadIdx.x, lane = t % 32;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        if (lane < d) s[t] += s[t + d];
    }
    if (t == 0) b[blockIdx.x] = s[0];
}

K warps_in_turn_clean(const int *a, int *b) { // warps pass their own buffer many times
    __shared__ int s[32][33];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < 4; k++) {
        s[w][lane] = a[32 * k + lane];
        __syncwarp();
        sum += s[w][31 - lane];
        __syncwarp();
    }
    b[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
K warps_in_turn_race(const int *a, int *b) { // the next turn may write before others have read
    __shared__ int s[32][33];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < 4; k++) {
        s[w][lane] = a[32 * k + lane];
        __syncwarp();
        sum += s[w][31 - lane];
    }
    b[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

K read_only_path_clean(const int *a, int *b, int n) { // through the non-coherent path (`ld.global.nc`), what nobody writes
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) b[i] = __ldg(a + i) + __ldg(a + i + 1);
}
K read_only_path_race(int *a, int n) { // its neighbour's, which is written
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) a[i] = __ldg(a + i + 1);
}

// Its own element, before it is written.
K read_only_path_own_clean(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = __ldg(a + i) + 1;
}
K read_only_path_own_race(int *a, int n) { // from the other end
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[n - 1 - i] = __ldg(a + i) + 1;
}

// A tile of a fixed size says how large blocks are.
K fixed_tile_clean(const int *a, int *b) {
    __shared__ int tile[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t] = a[i];
    __syncthreads();
    b[i] = tile[127 - t];
}
K fixed_tile_race(const int *a, int *b) { // rows of blocks overlap by one
    __shared__ int tile[128];
    int t = threadIdx.x, i = blockIdx.x * 127 + t;
    tile[t] = a[i];
    __syncthreads();
    b[i] = tile[127 - t];
}

// Where some threads use the tile, it says nothing of the others.
K part_of_tile_clean(const int *a, int *b) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t < 64) tile[t] = a[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 64) b[blockIdx.x * 64 + t] = tile[63 - t];
}
K part_of_tile_race(const int *a, int *b) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t < 64) tile[t] = a[blockIdx.x * 64 + t];
    __syncthreads();
    b[blockIdx.x * 64 + t] = tile[t & 63];
}

// Nor do variables that are large enough for anybody.
K large_tile_clean(const int *a, int *b) {
    __shared__ int tile[1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    tile[t] = a[i];
    __syncthreads();
    b[i] = tile[blockDim.x - 1 - t];
}
K large_tile_race(const int *a, int *b) {
    __shared__ int tile[1024];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t] = a[i];
    __syncthreads();
    b[i] = tile[blockDim.x - 1 - t];
}

// What is subtracted without a sign, where it is known to be less.
K behind_clean(const int *a, int *b) { // the upper half of each block has a place for every thread of the lower one
    unsigned t = threadIdx.x;
    if (t >= 64 && t < 128) b[blockIdx.x * 64 + t - 64] = a[t];
}
K behind_race(const int *a, int *b) { // one place too near
    unsigned t = threadIdx.x;
    if (t >= 64 && t <= 128) b[blockIdx.x * 64 + t - 64] = a[t];
}
