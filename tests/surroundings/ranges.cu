// Two kernels, of which one has a race, launched inside of NVTX ranges of all kinds.

#include <cstdio>
#include <nvtx3/nvToolsExt.h>
#include <thread>

__global__ void racy(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void ordered(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

static nvtxEventAttributes_t named(nvtxStringHandle_t name) {
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = name;
    return attributes;
}

int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
    nvtxEventAttributes_t sweep = named(nvtxDomainRegisterStringA(domain, "sweep"));

    nvtxRangeId_t epoch = nvtxRangeStartA("epoch 1");
    nvtxRangePushA("warm up");
    ordered<<<1, 64>>>(out);
    nvtxRangePop();
    nvtxRangePushW(L"step");
    nvtxDomainRangePushEx(domain, &sweep);
    racy<<<1, 64>>>(out);
    nvtxDomainRangePop(domain);
    // A range of this thread is no range of another one.
    std::thread([&] { ordered<<<1, 64>>>(out); }).join();
    nvtxRangePop();
    nvtxRangeEnd(epoch);
    ordered<<<1, 64>>>(out);
    bool fine = cudaDeviceSynchronize() == cudaSuccess && nvtxRangePop() < 0;
    std::printf("%s\n", fine ? "passed" : "failed");
    return fine ? 0 : 1;
}
