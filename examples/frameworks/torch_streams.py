"""PyTorch: a side stream reads a tensor that the main stream still writes.

    warprace run -- python3 examples/frameworks/torch_streams.py [--fixed] [--compile]

With --compile, what reads is a Triton kernel that torch.compile makes; without, PyTorch's own operators do.
"""
import sys

import torch


def scaled(x):
    return torch.relu(x) * 2


compiled = "--compile" in sys.argv
if compiled:
    scaled = torch.compile(scaled)
x = torch.zeros(4096, device="cuda")
scaled(x)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())

x.fill_(3)  # the main stream
if "--fixed" in sys.argv:
    side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = scaled(x)  # nothing orders it after the fill
torch.cuda.synchronize()
print("sum", float(y.sum()))
