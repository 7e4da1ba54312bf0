"""Tests of pytest, of which one launches a kernel with a race, inside of ranges of the package nvtx."""

import ctypes
import os

import nvtx
import pytest

LIBRARY = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "liblibrary.so"))


@pytest.mark.parametrize("size", [1, 2])
def test_ordered(size):
    assert LIBRARY.run_ordered() == 0


def test_racy():
    with nvtx.annotate("sweep", domain="solver"), nvtx.annotate("step"):
        assert LIBRARY.run_racy() == 0
