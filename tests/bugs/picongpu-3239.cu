// ComputationalRadiationPhysics/picongpu #3239: particles are counted into a Voronoi cell that is not initialised yet.
#include "support/bug.h"

struct Cell {
    unsigned particles;
    float weight;
};

template <bool fixed> __global__ void merge_particles(const float* weights, Cell* out) {
    __shared__ Cell cell;
    if (threadIdx.x == 0) cell.particles = 0; //~ RACE(1)
    if (threadIdx.x == 0) cell.weight = 0;
    if (fixed) __syncthreads();
    if (threadIdx.x >= 32) atomicAdd(&cell.particles, 1u); //~ RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) *out = cell;
}

template <bool fixed> void run() {
    merge_particles<fixed><<<1, 64>>>(zeros<float>(64), zeros<Cell>(1));
    finish();
}
