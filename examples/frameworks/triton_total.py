"""A Triton kernel whose programs add their rows to one row by load and store. It needs no PyTorch: the buffers are its own.

    warprace run -- python3 examples/frameworks/triton_total.py [--fixed]
"""
import ctypes
import sys

import triton
import triton.language as tl

ROWS, LENGTH = 16, 256


@triton.jit
def add_up(total, rows, LENGTH: tl.constexpr, FIXED: tl.constexpr):
    i = tl.arange(0, LENGTH)
    row = tl.load(rows + tl.program_id(0) * LENGTH + i)
    if FIXED:
        tl.atomic_add(total + i, row)
    else:
        tl.store(total + i, tl.load(total + i) + row)  # other programs do so, too


driver = ctypes.CDLL("libcuda.so.1")


def check(code):
    assert code == 0, code


class Buffer:
    """Device memory that Triton takes as a tensor: it has an address and a type."""

    dtype = "i32"

    def __init__(self, count, value):
        address = ctypes.c_uint64()
        check(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(4 * count)))
        check(driver.cuMemsetD32_v2(address, ctypes.c_uint(value), ctypes.c_size_t(count)))
        self.address, self.count = address.value, count

    def data_ptr(self):
        return self.address

    def numbers(self):
        out = (ctypes.c_int32 * self.count)()
        check(driver.cuMemcpyDtoH_v2(out, ctypes.c_uint64(self.address), ctypes.c_size_t(4 * self.count)))
        return list(out)


# Triton makes the context.
triton.runtime.driver.active.get_current_device()
rows, total = Buffer(ROWS * LENGTH, 1), Buffer(LENGTH, 0)
add_up[(ROWS,)](total, rows, LENGTH=LENGTH, FIXED="--fixed" in sys.argv)
print("sum", sum(total.numbers()), "of", ROWS * LENGTH)
