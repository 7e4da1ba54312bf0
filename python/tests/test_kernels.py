"""Tests of kernels, as a package has them: `pytest --warprace` runs them on the virtual GPU. The first one has a race."""

import pytest
from device import COUNT, reversed_by


@pytest.mark.parametrize("name", ["racy", "ordered"])
def test_reversed(name):
    found = reversed_by(name, range(COUNT))
    assert len(found) == COUNT
    assert name == "racy" or found == list(reversed(range(COUNT)))
