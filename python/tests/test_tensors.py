"""The names of tensors. The fixture keeps pytest from running this under warprace itself."""

from warprace import tensors


class Tensor:
    dtype = "float32"

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address


def test_launching_code_of_a_compiler_names_nothing(warprace):
    # TorchInductor makes its launchers so.
    made = {"tensors": tensors.tensors}
    exec("def launcher(in_ptr0):\n    return tensors()", made)
    x = Tensor(4096)
    assert "4096\t0\tx\tfloat32" in made["launcher"](x).splitlines()
