// Copies and memsets in streams, of arrays, symbols, boxes and peers. Two devices.
#include "check.h"

__device__ int symbol[4];

void arrays(cudaStream_t s) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned), got;
    cudaArray_t array;
    int in[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, out[2][4] = {}, row[4] = {};
    OK(cudaMallocArray(&array, &format, 4, 2));
    OK(cudaGetChannelDesc(&got, array));
    EXPECT(got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindSigned);
    OK(cudaMemcpyToArray(array, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromArray(out, array, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
    EXPECT(std::memcmp(in, out, sizeof in) == 0);
    int second[4] = {50, 60, 70, 80};
    OK(cudaMemcpyToArrayAsync(array, 0, 1, second, sizeof second, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyFromArrayAsync(row, array, 0, 1, sizeof row, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(row[0] == 50 && row[3] == 80);
    OK(cudaMemcpy2DToArrayAsync(array, 4, 0, in, 16, 8, 2, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpy2DFromArrayAsync(out, 16, array, 0, 0, 16, 2, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(out[0][0] == 1 && out[0][1] == 1 && out[0][2] == 2 && out[1][1] == 5 && out[1][3] == 80);
    OK(cudaMemcpy2DFromArray(row, 8, array, 4, 0, 8, 2, cudaMemcpyDeviceToHost));
    EXPECT(row[0] == 1 && row[1] == 2 && row[2] == 5 && row[3] == 6);
    FAILS(cudaMemcpyToArray(array, 0, 2, in, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFreeArray(array));
}

void boxes(cudaStream_t s) {
    int in[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, out[2][2][2] = {};
    cudaPitchedPtr here, there;
    cudaExtent all = make_cudaExtent(8, 2, 2);
    OK(cudaMalloc3D(&here, all));
    OK(cudaSetDevice(1));
    OK(cudaMalloc3D(&there, all));
    OK(cudaSetDevice(0));
    cudaMemcpy3DParms up = {};
    up.srcPtr = make_cudaPitchedPtr(in, 8, 2, 2);
    up.dstPtr = here;
    up.extent = all;
    up.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3DAsync(&up, s));
    OK(cudaStreamSynchronize(s));
    cudaMemcpy3DPeerParms over = {};
    over.srcDevice = 0;
    over.srcPtr = here;
    over.dstDevice = 1;
    over.dstPtr = there;
    over.extent = all;
    OK(cudaMemcpy3DPeer(&over));
    cudaMemcpy3DParms down = {};
    down.srcPtr = there;
    down.dstPtr = make_cudaPitchedPtr(out, 8, 2, 2);
    down.extent = all;
    down.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&down));
    EXPECT(std::memcmp(in, out, sizeof in) == 0);
    OK(cudaMemset3D(here, 0, all));
    OK(cudaMemset3DAsync(here, 1, make_cudaExtent(4, 2, 2), s));
    OK(cudaMemcpy3DPeerAsync(&over, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy3D(&down));
    EXPECT(out[0][0][0] == 0x01010101 && out[0][0][1] == 0 && out[1][1][0] == 0x01010101);
    OK(cudaMemset2DAsync(here.ptr, here.pitch, 2, 8, 2, s));
    OK(cudaMemcpy2DAsync(out, 8, here.ptr, here.pitch, 8, 2, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(out[0][0][0] == 0x02020202 && out[0][1][1] == 0x02020202);
    OK(cudaMemcpyPeerAsync(there.ptr, 1, here.ptr, 0, 8, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(out, there.ptr, 8, cudaMemcpyDefault));
    EXPECT(out[0][0][0] == 0x02020202 && out[0][0][1] == 0x02020202);
    OK(cudaFree(here.ptr));
    OK(cudaSetDevice(1));
    OK(cudaFree(there.ptr));
    OK(cudaSetDevice(0));
}

int main() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    arrays(s);
    boxes(s);
    int in[4] = {1, 2, 3, 4}, out[4] = {};
    OK(cudaMemcpyToSymbolAsync(symbol, in, sizeof in, 0, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyFromSymbolAsync(out, symbol, 8, 8, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(out[0] == 3 && out[1] == 4);
    OK(cudaStreamDestroy(s));
    std::puts("ok");
}
