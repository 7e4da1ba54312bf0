# The driver's API by ctypes: a race in memory that Python allocates.
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def check(code):
    assert code == 0, code


def allocate(numbers):
    pointer = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4 * numbers)))  # the line that the report names
    check(cuda.cuMemsetD8_v2(pointer, ctypes.c_ubyte(0), ctypes.c_size_t(4 * numbers)))
    return pointer


check(cuda.cuInit(0))
context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
with open(sys.argv[1], "rb") as text:
    check(cuda.cuModuleLoadData(ctypes.byref(module), text.read()))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"unordered"))
data = allocate(256)
arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(data), ctypes.c_void_p))
check(cuda.cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, None, arguments, None))
check(cuda.cuCtxSynchronize())
