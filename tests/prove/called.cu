// Kernels in pairs, as in patterns.cu, that call functions which the compiler does not inline. `called.ptx` is made from this
// file: see README.md.

#define K extern "C" __global__ void
#define CALLED __device__ __noinline__

CALLED void put(float *at, float value) { *at = value; }
CALLED int number() { return blockIdx.x * blockDim.x + threadIdx.x; }
CALLED int scaled(int i, int by) { return i * by; }

K argument_clean(float *a, int n) {
    int i = number();
    if (i < n) put(a + i, i);
}
K argument_race(float *a, int n) { // two threads at one element
    int i = number();
    if (i < n) put(a + i / 2, i);
}

K result_clean(float *a, int n) {
    int i = scaled(number(), 2);
    if (i < n) { a[i] = 1; a[i + 1] = 2; }
}
K result_race(float *a, int n) { // pairs that overlap
    int i = scaled(number(), 1);
    if (i < n) { a[i] = 1; a[i + 1] = 2; }
}

CALLED void wait() { __syncthreads(); }
K barrier_clean(float *a) {
    __shared__ float s[256];
    s[threadIdx.x] = a[number()];
    wait();
    a[number()] = s[blockDim.x - 1 - threadIdx.x];
}
K barrier_race(float *a) { // it is called too late
    __shared__ float s[256];
    s[threadIdx.x] = a[number()];
    a[number()] = s[blockDim.x - 1 - threadIdx.x];
    wait();
}

CALLED float sum(float *s, int n) { // a barrier in a loop, in a function
    for (int half = n / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    return s[0];
}
CALLED float hasty(float *s, int n) {
    for (int half = n / 2; half > 0; half /= 2)
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    return s[0];
}
K reduction_clean(const float *a, float *out) {
    __shared__ float s[256];
    s[threadIdx.x] = a[number()];
    __syncthreads();
    float all = sum(s, 256);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}
K reduction_race(const float *a, float *out) { // without barriers
    __shared__ float s[256];
    s[threadIdx.x] = a[number()];
    __syncthreads();
    float all = hasty(s, 256);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}

struct View { float *data; int stride; int rows; };
CALLED void row(View v, int r, float value) { // a structure by value
    if (r < v.rows)
        for (int i = 0; i < v.stride; ++i) v.data[r * v.stride + i] = value;
}
K structure_clean(float *a, int stride, int rows) {
    View v{a, stride, rows};
    row(v, number(), 1);
}
K structure_race(float *a, int stride, int rows) { // two threads in one row
    View v{a, stride, rows};
    row(v, number() / 2, threadIdx.x);
}

CALLED void places(int i, int *first, int *second) { // results through pointers to locals
    *first = 2 * i;
    *second = 2 * i + 1;
}
K locals_clean(float *a, int n) {
    int first, second;
    places(number(), &first, &second);
    int i = number();
    a[i] = first + second;
}
K locals_race(float *a, int n) { // all at the first one's
    int first, second;
    places(number(), &first, &second);
    a[threadIdx.x] = first + second;
}

CALLED bool mine(int i, int n) { return i < n && i % 2 == 0; } // a result of one byte or less
K early_clean(float *a, int n) { // only the even ones write
    int i = number();
    if (mine(i, n)) { a[i] = 1; a[i + 1] = 2; }
}
K early_race(float *a, int n) { // all others do
    int i = number();
    if (!mine(i, n)) { a[i] = 1; a[i + 1] = 2; }
}

CALLED void inner(float *a, int i) { if (i >= 0) a[i] = i; }
CALLED void outer(float *a, int i, int n) { // a call in a call, in a loop
    for (; i < n; i += gridDim.x * blockDim.x) inner(a, i);
}
CALLED void narrow(float *a, int i, int n) {
    for (; i < n; i += blockDim.x) inner(a, i);
}
K nested_clean(float *a, int n) { outer(a, number(), n); }
K nested_race(float *a, int n) { narrow(a, number(), n); } // strides by the block only

__device__ float table[1024];
CALLED void note(int i) { table[i & 1023] = threadIdx.x; }
K variable_clean() { if (blockIdx.x == 0) note(threadIdx.x); } // twice at one variable
K variable_race() { note(threadIdx.x / 2); }

CALLED void both(float *a, float *b) { *a = 1; *b = 2; }
K twice_clean(float *a) {
    int i = number();
    both(a + 4 * i, a + 4 * i + 1);
    both(a + 4 * i + 2, a + 4 * i + 3);
}
K twice_race(float *a) { // the second call is at the first one's
    int i = number();
    both(a + 4 * i, a + 4 * i + 1);
    both(a + 4 * i + 3, a + 4 * i + 4);
}
