"""A Triton kernel whose programs add to one histogram by load and store.

    warprace run [--gpu] -- python3 examples/frameworks/triton_histogram.py [--fixed]
"""
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def histogram(data, bins, n, BINS: tl.constexpr, BLOCK: tl.constexpr, FIXED: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(data + at, mask=at < n, other=0), BINS)
    place = bins + tl.arange(0, BINS)
    if FIXED:
        tl.atomic_add(place, counts)
    else:
        tl.store(place, tl.load(place) + counts)  # other programs do so, too


n = 1 << 16
data = torch.randint(0, 128, (n,), dtype=torch.int32, device="cuda")
bins = torch.zeros(128, dtype=torch.int32, device="cuda")
for _ in range(3):
    bins.zero_()
    histogram[(triton.cdiv(n, 1024),)](data, bins, n, BINS=128, BLOCK=1024, FIXED="--fixed" in sys.argv)
print("counted", int(bins.sum()), "of", n)
