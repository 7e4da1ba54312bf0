"""Computes PyTorch's own operators on the virtual GPU's memory, by PyTorch's kernels for the CPU.

PyTorch's wheel has machine code for its operators and no PTX: the virtual GPU cannot run them. Under ``warprace run`` the library in
the process executes this module in the program's interpreter. It registers a function for each operator that has a kernel for CUDA.
The function waits for the stream's work, computes on the host's view of the memory, and passes on what was read and written; the
detector takes that for a copy in the operator's stream. Views, allocation, and copies between host and device stay PyTorch's own.
"""

import builtins
import ctypes
import itertools
import os
import sys

# PyTorch imports modules of its own while these functions are on the stack: the interpreter asks their globals for this.
globals()["__builtins__"] = builtins

torch = sys.modules.get("torch")
# The module is executed again later while PyTorch is still being imported.
installed = hasattr(torch, "library") and not getattr(torch.__spec__, "_initializing", False)

library = ctypes.CDLL(None)

# More rows of a strided operand than this are not passed on.
ROWS = 4096

# Operators that launch no kernel, or only what CUDA's runtime does for them.
NATIVE = {
    "_assert_tensor_metadata",
    "_has_same_storage_numel",
    "_local_scalar_dense",
    "_pin_memory",
    "_resize_output_",
    "_sync",
    "is_pinned",
    "is_set_to",
    "record_stream",
    "resize_",
    "set_",
}

# Operators that choose elements by indices or a mask: which ones is not passed on.
CHOOSING = (
    "_embedding", "_index_put", "_unsafe_index", "embedding", "gather", "index", "masked_s", "put", "scatter", "take"
)

UNCHECKED = b"operands of PyTorch's operators that choose elements by indices or a mask, or have many rows, were not checked"


def call(name, *arguments):
    """Calls a function of the library in the process."""
    code = getattr(library, name)(*arguments)
    if code:
        raise RuntimeError(f"warprace: {name} answers error {code} of CUDA")


def host_view(tensor):
    """A tensor of the CPU's with the memory of one of the virtual GPU's."""
    storage = tensor.untyped_storage()
    if storage.nbytes() == 0:
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="cpu")
    place, room = ctypes.c_uint64(), ctypes.c_uint64()
    address = ctypes.c_uint64(storage.data_ptr())
    call("warprace_operator_memory", address, ctypes.byref(place), ctypes.byref(room))
    if room.value < storage.nbytes():
        raise RuntimeError("warprace: a tensor's storage is larger than the memory that it is in")
    memory = (ctypes.c_uint8 * storage.nbytes()).from_address(place.value)
    whole = torch.frombuffer(memory, dtype=torch.uint8).untyped_storage()
    view = torch.empty(0, dtype=tensor.dtype, device="cpu")
    return view.set_(whole, tensor.storage_offset(), tensor.size(), tensor.stride())


def ranges(tensor):
    """Address and length in bytes of each stretch of memory that a tensor's elements are in; ``None`` if they are many."""
    if tensor.numel() == 0:
        return []
    run, outer = tensor.element_size(), []
    for stride, size in sorted(zip(tensor.stride(), tensor.size())):
        step = stride * tensor.element_size()
        if size == 1 or stride == 0:
            continue
        if step == run and not outer:
            run *= size
        else:
            outer.append(range(0, step * size, step))
    rows = 1
    for steps in outer:
        rows *= len(steps)
    if rows > ROWS:
        return None
    return [(tensor.data_ptr() + sum(steps), run) for steps in itertools.product(*outer)]


class Operands:
    """The arguments of one operator, as they are computed with, and what it reads and writes of the virtual GPU's memory."""

    def __init__(self, operator):
        self.operator = operator
        self.device = None
        self.reads, self.writes = [], []
        self.outputs, self.originals = [], {}
        self.keep = []

    def down(self, value, written=False, out=False):
        """An argument for the CPU."""
        if isinstance(value, torch.Tensor):
            if value.device.type != "cuda":
                return value
            self.device = value.device if self.device is None else self.device
            (self.writes if written else self.reads).append(value)
            view = host_view(value)
            if out:
                # An output of another shape is resized: the kernel for the CPU does so with memory of its own.
                fresh = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="cpu")
                self.outputs.append((fresh, value))
                view = fresh
            self.originals[id(view)] = value
            self.keep.append(view)
            return view
        if isinstance(value, (list, tuple)):
            return type(value)(self.down(one, written, out) for one in value)
        if isinstance(value, torch.device) and value.type == "cuda":
            index = torch._C._cuda_getDevice() if value.index is None else value.index
            self.device = torch.device("cuda", index)
            return torch.device("cpu")
        if isinstance(value, torch.Generator) and value.device.type == "cuda":
            return generator_for(value)
        return value

    def up(self, value):
        """A result on the virtual GPU."""
        if isinstance(value, torch.Tensor):
            if id(value) in self.originals:
                return self.originals[id(value)]
            if value.device.type != "cpu" or self.device is None:
                return value
            value = value.resolve_conj().resolve_neg()
            result = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=self.device)
            host_view(result).copy_(value)
            self.writes.append(result)
            return result
        if isinstance(value, (list, tuple)):
            return type(value)(self.up(one) for one in value)
        return value

    def write_outputs(self):
        """Copies what was computed for outputs to where the program wants it."""
        for fresh, output in self.outputs:
            if fresh.size() != output.size():
                output.resize_(fresh.size())
            host_view(output).copy_(fresh)

    def accesses(self):
        """Triples of address, bytes, and 1 for a write."""
        found = []
        chooses = self.operator._schema.name.split("::")[1].startswith(CHOOSING)
        sides = [(self.reads, 0), (self.writes, 1)]
        for tensors, write in sides:
            for tensor in tensors:
                stretches = ranges(tensor)
                in_part = chooses and any(tensor is original for original in self.originals.values())
                if in_part or stretches is None:
                    call("warprace_operator_unchecked", UNCHECKED)
                else:
                    found += [(address, length, write) for address, length in stretches]
        return found


# Operators whose kernels for the CPU sum numbers of 16 bits in 16 bits, while those for CUDA sum in 32; and which of their results
# stay in 32 bits on CUDA.
SUMS = {"aten::native_layer_norm": (1, 2), "aten::native_layer_norm_backward": ()}

NARROW = (torch.float16, torch.bfloat16)


def summed_wide(operator, arguments, named):
    """Computes an operator of `SUMS` in 32 bits, and rounds its other results to the type of its arguments."""
    narrow = next((x.dtype for x in arguments if isinstance(x, torch.Tensor) and x.dtype in NARROW), None)
    if narrow is None:
        return operator(*arguments, **named)
    wide = [x.float() if isinstance(x, torch.Tensor) and x.dtype in NARROW else x for x in arguments]
    results = operator(*wide, **named)
    stay = SUMS[operator._schema.name]
    rounds = lambda i, x: isinstance(x, torch.Tensor) and i not in stay
    return tuple(x.to(narrow) if rounds(i, x) else x for i, x in enumerate(results))


GENERATORS = {}


def generator_for(generator):
    """The generator of the CPU that stands in for one of the virtual GPU."""
    for index, default in enumerate(torch.cuda.default_generators):
        if generator is default:
            return torch.default_generator
    known = GENERATORS.get(id(generator))
    if known is None or known[1] != generator.initial_seed():
        stand_in = torch.Generator().manual_seed(generator.initial_seed())
        known = GENERATORS[id(generator)] = (stand_in, generator.initial_seed(), generator)
    return known[0]


def compute(operator, arguments, named):
    """Computes one call of an operator, and passes on its accesses."""
    operands = Operands(operator)
    schema = operator._schema.arguments

    def side(argument, value):
        written = argument.alias_info is not None and argument.alias_info.is_write
        return operands.down(value, written, written and argument.kwarg_only)

    with torch._C.DisableTorchFunction(), torch._C._AutoDispatchBelowAutograd():
        lowered = [side(argument, value) for argument, value in zip(schema, arguments)]
        by_name = {argument.name: argument for argument in schema}
        lowered_named = {name: side(by_name[name], value) for name, value in named.items()}
        device = operands.device
        with torch.cuda.device(device):
            stream = ctypes.c_void_p(torch._C._cuda_getCurrentRawStream(device.index))
            call("warprace_operator_wait", stream)
            try:
                if operator._schema.name in SUMS and not operator._schema.overload_name:
                    result = summed_wide(operator, lowered, lowered_named)
                else:
                    result = operator(*lowered, **lowered_named)
            except NotImplementedError as error:
                raise NotImplementedError(
                    f"warprace: `{operator}` has no kernel for the CPU, by which the virtual GPU computes PyTorch's operators"
                ) from error
            operands.write_outputs()
            result = operands.up(result)
            accesses = operands.accesses()
            flat = (ctypes.c_uint64 * (3 * len(accesses)))(*itertools.chain.from_iterable(accesses))
            name = operator._schema.name.encode()
            call("warprace_operator", stream, name, flat, ctypes.c_size_t(len(accesses)))
            if tells_host(operator, result):
                call("cudaStreamSynchronize", stream)
    return result


def tells_host(operator, result):
    """Whether the host learns values by the call, for which PyTorch waits on a GPU, too."""
    if torch.Tag.dynamic_output_shape in operator.tags or torch.Tag.data_dependent_output in operator.tags:
        return True
    flat = result if isinstance(result, (list, tuple)) else [result]
    return any(isinstance(value, (bool, int, float, complex)) for value in flat)


def is_native(operator):
    """Whether an operator stays as it is: views, allocation, what has no memory to compute with."""
    schema = operator._schema
    name = schema.name.split("::")[1]
    if name in NATIVE or "empty" in name or torch.Tag.inplace_view in operator.tags:
        return True
    aliases = [result.alias_info for result in schema.returns if result.alias_info is not None]
    return any(not alias.is_write for alias in aliases)


def overload(name):
    """An operator by its name in the dispatcher, ``aten::add.out``."""
    space, rest = name.split("::")
    base, _, which = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, space), base), which or "default")


def copy_(target, source, non_blocking=False):
    """Copies between host and device are CUDA's; others are computed."""
    operator = torch.ops.aten.copy_.default
    if target.device.type == source.device.type == "cuda":
        return compute(operator, (target, source, non_blocking), {})
    # The kernel of this operator is the same for every device.
    return operator.redispatch(torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), target, source, non_blocking)


# Operators whose one kernel for all devices chooses another one for CUDA.
OTHERS = ["aten::convolution", "aten::convolution_overrideable", "aten::convolution_backward"]

SPECIAL = {"aten::copy_": copy_}


def implementation(operator):
    """The function that the dispatcher calls."""
    return lambda *arguments, **named: compute(operator, arguments, named)


def install():
    """Registers the functions."""
    from torch import library as dispatcher

    aten = dispatcher.Library("aten", "IMPL")
    names = torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
    for name in sorted({*names, *OTHERS, *SPECIAL}):
        if not name.startswith("aten::"):
            continue
        function = SPECIAL.get(name)
        if function is None:
            operator = overload(name)
            if is_native(operator):
                continue
            function = implementation(operator)
        aten.impl(name.split("::")[1], function, "CUDA")
    # cuDNN has a runtime of CUDA inside, and no PTX.
    torch.backends.cudnn.enabled = False
    # The ways to compute attention that are left have kernels for the CPU.
    for way in ["enable_cudnn_sdp", "enable_flash_sdp", "enable_mem_efficient_sdp"]:
        getattr(torch.backends.cuda, way)(False)
    # Triton's kernels are compiled in this process, where the machine code's PTX is seen.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    return aten


if installed:
    registered = install()
