"""A PyTorch C++/CUDA extension, built when it is imported: blocks add up by a plain +=.

    warprace run --gpu -- python3 examples/frameworks/torch_extension.py [--fixed]
"""
import sys
import tempfile

import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/types.h>

__global__ void add_up(const float *x, float *out, int n)
{
    __shared__ float part;
    if (threadIdx.x == 0) part = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&part, x[i]);
    __syncthreads();
#ifdef FIXED
    if (threadIdx.x == 0) atomicAdd(out, part);
#else
    if (threadIdx.x == 0) *out += part; // other blocks do so, too
#endif
}

torch::Tensor total(torch::Tensor x)
{
    auto out = torch::zeros({1}, x.options());
    int n = x.numel();
    add_up<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
"""

fixed = "--fixed" in sys.argv
with tempfile.TemporaryDirectory() as folder:
    module = load_inline(
        "fixed" if fixed else "racy",
        cpp_sources="torch::Tensor total(torch::Tensor x);",
        cuda_sources=CUDA,
        functions=["total"],
        extra_cuda_cflags=["-lineinfo"] + (["-DFIXED"] if fixed else []),
        build_directory=folder,
    )
    x = torch.ones(1 << 15, device="cuda")
    for _ in range(3):
        out = module.total(x)
    print("total", float(out), "of", x.numel())
