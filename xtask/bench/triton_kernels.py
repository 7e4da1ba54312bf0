"""Kernels of the sizes of tutorials, each launched twice, and compared with PyTorch.

    python triton_kernels.py NAME...

Prints for each name the seconds of the second launch, from its call to the end of its work, as JSON.
"""

import json
import sys
import time

import torch
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def multiply(a, b, c, N: tl.constexpr, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inner = tl.arange(0, DEPTH)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, N, DEPTH):
        left = tl.load(a + rows[:, None] * N + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def softmax(out, values, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0) * columns
    i = tl.arange(0, WIDTH)
    x = tl.load(values + row + i, mask=i < columns, other=-float("inf"))
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row + i, power / tl.sum(power, axis=0), mask=i < columns)


@triton.jit
def normalise(out, values, weight, bias, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0) * columns
    i = tl.arange(0, WIDTH)
    x = tl.load(values + row + i, mask=i < columns, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(i < columns, x - mean, 0.0)
    spread = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + 1e-5)
    w = tl.load(weight + i, mask=i < columns)
    b = tl.load(bias + i, mask=i < columns)
    tl.store(out + row + i, centred * spread * w + b, mask=i < columns)


@triton.jit
def attend(out, q, k, v, scale, LENGTH: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr):
    head = tl.program_id(1) * LENGTH * WIDTH
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i, j = tl.arange(0, WIDTH), tl.arange(0, STEP)
    query = tl.load(q + head + rows[:, None] * WIDTH + i[None, :])
    most = tl.full((ROWS,), -float("inf"), tl.float32)
    norm = tl.zeros((ROWS,), tl.float32)
    total = tl.zeros((ROWS, WIDTH), tl.float32)
    for start in range(0, LENGTH, STEP):
        key = tl.load(k + head + (start + j)[None, :] * WIDTH + i[:, None])
        scores = tl.dot(query, key) * scale
        higher = tl.maximum(most, tl.max(scores, 1))
        power = tl.exp(scores - higher[:, None])
        shrink = tl.exp(most - higher)
        norm = norm * shrink + tl.sum(power, 1)
        value = tl.load(v + head + (start + j)[:, None] * WIDTH + i[None, :])
        total = total * shrink[:, None] + tl.dot(power.to(tl.float16), value)
        most = higher
    tl.store(out + head + rows[:, None] * WIDTH + i[None, :], (total / norm[:, None]).to(tl.float16))


def matmul_512():
    a, b = (torch.randn(512, 512).half().to(DEVICE) for _ in range(2))
    c = torch.empty_like(a)
    launch = lambda: multiply[(8, 8)](a, b, c, 512, 64, 32)
    return launch, c, a.float() @ b.float()


def softmax_1823x781():
    x = torch.randn(1823, 781).to(DEVICE)
    out = torch.empty_like(x)
    return lambda: softmax[(1823,)](out, x, 781, 1024), out, torch.softmax(x, 1)


def layer_norm_1151x8192():
    x = torch.randn(1151, 8192).half().to(DEVICE)
    weight, bias = (torch.randn(8192).half().to(DEVICE) for _ in range(2))
    out = torch.empty_like(x)
    wanted = torch.nn.functional.layer_norm(x.float(), (8192,), weight.float(), bias.float())
    return lambda: normalise[(1151,)](out, x, weight, bias, 8192, 8192, num_warps=8), out, wanted


def attention_1x2x1024x64():
    q, k, v = (torch.randn(1, 2, 1024, 64).half().to(DEVICE) for _ in range(3))
    out = torch.empty_like(q)
    wanted = torch.softmax(q.float() @ k.float().transpose(2, 3) / 8, 3) @ v.float()
    return lambda: attend[(16, 2)](out, q, k, v, 0.125, 1024, 64, 64, 64), out, wanted


for name in sys.argv[1:]:
    launch, out, wanted = globals()[name]()
    launch()
    torch.cuda.synchronize()
    begun = time.perf_counter()
    launch()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begun
    torch.testing.assert_close(out.float().cpu(), wanted.cpu(), rtol=2e-2, atol=2e-2 * wanted.abs().max().item())
    print(json.dumps({"name": name, "seconds": seconds}), flush=True)
