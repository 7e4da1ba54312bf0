// Kernels of which only what lies behind addresses in memory tells whether they have a race: tables of rows, structures with pointers, and
// images that textures and surfaces lead to. `warprace prove -- nvcc … pointed.cu` executes the host code to know that.
// Names end with what is true of the launches below; the program itself need not run.

#include <cstdio>

// A table of rows, which the host has made; in one of them a row stands twice.
__global__ void rows_clean(int **rows) { rows[blockIdx.x][threadIdx.x] = 1; }
__global__ void rows_race(int **rows) { rows[blockIdx.x][threadIdx.x] = 1; }

// A structure in memory, with its arrays beside their length.
struct Fields {
    float *from;
    int length;
    float *to;
};
__global__ void shift_clean(const Fields *f) {
    int t = threadIdx.x;
    f->to[t] = f->from[(t + 1) % f->length];
}
__global__ void shift_race(const Fields *f) {
    int t = threadIdx.x;
    f->to[t] = f->from[(t + 1) % f->length];
}

// A variable that holds the address of a buffer: of one for each block, or of one for all.
__device__ int *buffer;
__device__ int *common;
__global__ void buffered_clean() { buffer[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void common_race() { common[threadIdx.x] = blockIdx.x; }

// An address that a kernel has left in memory is not followed into the next launch.
__global__ void link(int **rows, int *a) { rows[threadIdx.x] = a; }
__global__ void linked_open(int **rows, int *a) {
    if (rows[0] != a) a[threadIdx.x / 2] = blockIdx.x;
}

// An image is moved up by a row, into another one or in place.
constexpr int WIDTH = 32, HEIGHT = 4;
__global__ void up_clean(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x * int(sizeof(int)), y = blockIdx.x;
    surf2Dwrite(surf2Dread<int>(from, x, (y + 1) % HEIGHT), to, x, y);
}
__global__ void up_race(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x * int(sizeof(int)), y = blockIdx.x;
    surf2Dwrite(surf2Dread<int>(from, x, (y + 1) % HEIGHT), to, x, y);
}

// Layers of a volume: each block has its own, or all have the first.
__global__ void layers_clean(cudaSurfaceObject_t image) { surf2DLayeredwrite(1, image, threadIdx.x * 4, 0, blockIdx.x); }
__global__ void layers_race(cudaSurfaceObject_t image) { surf2DLayeredwrite(1, image, threadIdx.x * 4, 0, 0); }

// A neighbour is fetched through a texture of what is written, or of something else: of an array, of linear memory and of rows.
__global__ void fetch_clean(cudaSurfaceObject_t to, cudaTextureObject_t from) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(tex2D<int>(from, x, (y + 1) % HEIGHT), to, x * 4, y);
}
__global__ void fetch_race(cudaSurfaceObject_t to, cudaTextureObject_t from) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(tex2D<int>(from, x, (y + 1) % HEIGHT), to, x * 4, y);
}
__global__ void line_clean(int *to, cudaTextureObject_t from) { to[threadIdx.x] = tex1Dfetch<int>(from, threadIdx.x + 1); }
__global__ void line_race(int *to, cudaTextureObject_t from) { to[threadIdx.x] = tex1Dfetch<int>(from, threadIdx.x + 1); }
__global__ void pitch_clean(int *to, cudaTextureObject_t from) {
    to[blockIdx.x * WIDTH + threadIdx.x] = tex2D<int>(from, threadIdx.x, blockIdx.x + 1);
}
__global__ void pitch_race(int *to, cudaTextureObject_t from) {
    to[blockIdx.x * WIDTH + threadIdx.x] = tex2D<int>(from, threadIdx.x, blockIdx.x + 1);
}

cudaArray_t array(int height, int layers, unsigned flags) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t made;
    if (layers)
        cudaMalloc3DArray(&made, &format, make_cudaExtent(WIDTH, height, layers), flags | cudaArrayLayered);
    else
        cudaMallocArray(&made, &format, WIDTH, height, flags);
    return made;
}

cudaSurfaceObject_t surface(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t made;
    cudaCreateSurfaceObject(&made, &resource);
    return made;
}

cudaTextureObject_t texture(const cudaResourceDesc &resource) {
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t made;
    cudaCreateTextureObject(&made, &resource, &how, nullptr);
    return made;
}

int main() {
    const int rows = 4;
    int *row[rows], *a, **table;
    for (int n = 0; n < rows; ++n) cudaMalloc(&row[n], WIDTH * sizeof(int));
    cudaMalloc(&table, sizeof row);
    cudaMalloc(&a, rows * WIDTH * sizeof(int));
    cudaMemcpyToSymbol(common, &a, sizeof a);
    common_race<<<rows, WIDTH>>>();
    cudaMemcpyToSymbol(buffer, &a, sizeof a);
    buffered_clean<<<rows, WIDTH>>>();

    cudaMemcpy(table, row, sizeof row, cudaMemcpyHostToDevice);
    rows_clean<<<rows, WIDTH>>>(table);
    row[3] = row[1];
    cudaMemcpy(table, row, sizeof row, cudaMemcpyHostToDevice);
    rows_race<<<rows, WIDTH>>>(table);

    Fields host, *fields;
    cudaMalloc(&fields, sizeof host);
    host.length = 64;
    cudaMalloc(&host.from, host.length * sizeof(float));
    cudaMalloc(&host.to, host.length * sizeof(float));
    cudaMemcpy(fields, &host, sizeof host, cudaMemcpyHostToDevice);
    shift_clean<<<1, 64>>>(fields);
    host.to = host.from;
    cudaMemcpy(fields, &host, sizeof host, cudaMemcpyHostToDevice);
    shift_race<<<1, 64>>>(fields);

    link<<<1, rows>>>(table, a);
    linked_open<<<2, WIDTH>>>(table, a);

    cudaArray_t one = array(HEIGHT, 0, cudaArraySurfaceLoadStore), two = array(HEIGHT, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t first = surface(one), second = surface(two), again = surface(one);
    up_clean<<<HEIGHT, WIDTH>>>(first, second);
    up_race<<<HEIGHT, WIDTH>>>(first, again);
    cudaSurfaceObject_t volume = surface(array(1, rows, cudaArraySurfaceLoadStore));
    layers_clean<<<rows, WIDTH>>>(volume);
    layers_race<<<rows, WIDTH>>>(volume);

    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = one;
    cudaTextureObject_t image = texture(resource);
    fetch_clean<<<HEIGHT, WIDTH>>>(second, image);
    fetch_race<<<HEIGHT, WIDTH>>>(first, image);

    cudaResourceDesc line{};
    line.resType = cudaResourceTypeLinear;
    line.res.linear.devPtr = a;
    line.res.linear.desc = cudaCreateChannelDesc<int>();
    line.res.linear.sizeInBytes = rows * WIDTH * sizeof(int);
    cudaTextureObject_t numbers = texture(line);
    line_clean<<<1, WIDTH>>>(row[0], numbers);
    line_race<<<1, WIDTH>>>(a, numbers);

    cudaResourceDesc pitched{};
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D.devPtr = a;
    pitched.res.pitch2D.desc = cudaCreateChannelDesc<int>();
    pitched.res.pitch2D.width = WIDTH;
    pitched.res.pitch2D.height = rows;
    pitched.res.pitch2D.pitchInBytes = WIDTH * sizeof(int);
    cudaTextureObject_t rectangle = texture(pitched);
    int *result;
    cudaMalloc(&result, rows * WIDTH * sizeof(int));
    pitch_clean<<<rows - 1, WIDTH>>>(result, rectangle);
    pitch_race<<<rows - 1, WIDTH>>>(a, rectangle);
    cudaDestroySurfaceObject(first);
    cudaDestroyTextureObject(image);
    return cudaDeviceSynchronize() != cudaSuccess;
}
