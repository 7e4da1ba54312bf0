"""Launches kernels of kernels.ptx by the driver's interface, as packages for Python do."""

import ctypes
import pathlib

COUNT = 64


def check(code):
    assert code == 0, code


def reversed_by(name, numbers):
    """What a kernel makes of numbers."""
    cuda = ctypes.CDLL("libcuda.so.1")
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    text = pathlib.Path(__file__).with_name("kernels.ptx").read_bytes() + b"\0"
    check(cuda.cuModuleLoadData(ctypes.byref(module), text))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode()))
    host, data = (ctypes.c_int * COUNT)(*numbers), ctypes.c_uint64()
    size = ctypes.c_size_t(ctypes.sizeof(host))
    check(cuda.cuMemAlloc_v2(ctypes.byref(data), size))
    check(cuda.cuMemcpyHtoD_v2(data, host, size))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(data))
    check(cuda.cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, None, arguments, None))
    check(cuda.cuMemcpyDtoH_v2(host, data, size))
    return list(host)
