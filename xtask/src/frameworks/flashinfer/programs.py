"""Kernels of FlashInfer on PyTorch's tensors, each compared with PyTorch.

    python programs.py LIBRARY NAME...

LIBRARY is `kernels.cu`, compiled as a shared library.
"""

import ctypes
import sys

import torch
from torch.nn import functional

DEVICE = "cuda"
torch.manual_seed(7)


def call(name, *words):
    """Calls a function of the library on the current stream."""
    plain = {int: ctypes.c_uint, float: ctypes.c_float}
    arguments = [
        plain[type(word)](word) if type(word) in plain else ctypes.c_void_p(word.data_ptr()) for word in words
    ]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    error = getattr(library, name)(*arguments, stream)
    assert error == 0, f"{name} answers CUDA's error {error}"


def halves(*shape):
    return torch.randn(*shape).half().to(DEVICE)


def compare(got, wanted, tolerance=2e-2):
    torch.testing.assert_close(got.float().cpu(), wanted.float().cpu(), rtol=tolerance, atol=tolerance)


def norm():
    x, residual, weight = halves(9, 512), halves(9, 512), halves(512)
    total = x.float().cpu() + residual.float().cpu()
    wanted = total / torch.sqrt(total.pow(2).mean(1, keepdim=True) + 1e-6) * weight.float().cpu()
    call("add_and_norm", x, residual, weight, 9, 512)
    compare(residual, total)
    compare(x, wanted)


def activation():
    x, out = halves(13, 2 * 256), halves(13, 256)
    gate, up = x.float().cpu().split(256, 1)
    call("silu_and_multiply", out, x, 13, 256)
    compare(out, functional.silu(gate) * up)


def rope():
    tokens, width = 11, 64
    q, k = halves(tokens, 4, width), halves(tokens, 2, width)
    q_out, k_out = torch.empty_like(q), torch.empty_like(k)
    positions = torch.randint(0, 100, (tokens,), dtype=torch.int32)
    call("rotate", q, k, q_out, k_out, positions.to(DEVICE), tokens, 4, 2, width)
    angles = positions[:, None].float() * 1e4 ** (-torch.arange(0, width, 2).float() / width)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    for x, out in [(q, q_out), (k, k_out)]:
        low, high = x.float().cpu().split(width // 2, 2)
        compare(out, torch.cat([low * cos - high * sin, high * cos + low * sin], 2))


def page():
    heads, size, width, lengths = 2, 4, 64, [5, 9, 1]
    pages = [(length + size - 1) // size for length in lengths]
    first = torch.tensor([0, *torch.tensor(pages).cumsum(0).tolist()], dtype=torch.int32)
    indices = torch.randperm(sum(pages)).int()
    k, v = halves(sum(lengths), heads, width), halves(sum(lengths), heads, width)
    caches = [torch.zeros(sum(pages), size, heads, width).half().to(DEVICE) for _ in range(2)]
    requests = torch.repeat_interleave(torch.arange(3), torch.tensor(lengths)).int()
    positions = torch.cat([torch.arange(length) for length in lengths]).int()
    last = torch.tensor([(length - 1) % size + 1 for length in lengths], dtype=torch.int32)
    on_device = [x.to(DEVICE) for x in (indices, first, last)]
    where = [x.to(DEVICE) for x in (requests, positions)]
    call("append", *caches, *on_device, k, v, *where, sum(lengths), 3, heads, size, width)
    rows = indices[first[requests.long()].long() + (positions // size).long()].long()
    for cache, x in zip(caches, (k, v)):
        wanted = torch.zeros(cache.shape).half()
        wanted[rows, (positions % size).long()] = x.cpu()
        compare(cache, wanted, 0)


def cascade():
    v_a, v_b, out = halves(7, 4, 64), halves(7, 4, 64), halves(7, 4, 64)
    s_a, s_b, s = (torch.randn(7, 4).to(DEVICE) for _ in range(3))
    call("merge", v_a, s_a, v_b, s_b, out, s, 7, 4, 64)
    # The logarithms of the sums are to the base 2.
    a, b = (2.0 ** x.cpu()[..., None] for x in (s_a, s_b))
    compare(out, (a * v_a.float().cpu() + b * v_b.float().cpu()) / (a + b))
    compare(s, torch.log2(a + b)[..., 0])


def top_p():
    probabilities = torch.softmax(3 * torch.randn(5, 1000), 1)
    out = torch.empty(5, 1000).to(DEVICE)
    call("renormalise", probabilities.to(DEVICE), out, 5, 0.8, 1000)
    ordered, order = probabilities.sort(1, descending=True)
    kept = ordered.cumsum(1) - ordered < 0.8
    wanted = torch.zeros(5, 1000).scatter(1, order, ordered * kept)
    compare(out, wanted / wanted.sum(1, keepdim=True), 1e-4)


def sampling():
    probabilities = torch.softmax(torch.randn(6, 1000), 1)
    out, valid = torch.zeros(6, dtype=torch.int32).to(DEVICE), torch.ones(6, dtype=torch.bool).to(DEVICE)
    call("sample", probabilities.to(DEVICE), out, valid, 6, 1, 1000)
    # Of one candidate the sample is the most probable.
    assert out.cpu().tolist() == probabilities.argmax(1).tolist()


library = ctypes.CDLL(sys.argv[1])
for name in sys.argv[2:]:
    globals()[name]()
    torch.cuda.synchronize()
    print(f"{name}: right")
