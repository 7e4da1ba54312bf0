"""Names the tensors of a Python program, for reports.

Under ``warprace run`` the library in the process executes this module in the program's interpreter. Where the program launches a kernel
or copies, the library calls :func:`tensors`, which finds the variables of the calling code that hold memory of the device.
"""

import builtins
import sys

globals()["__builtins__"] = builtins

# Parts of the paths of installed packages, as the library knows them.
PACKAGES = ("/site-packages/", "/dist-packages/", "/lib/python3", "/warprace/inductor/", "/torchinductor_")

# At most so many frames are passed over, so many are looked at, and so many elements of a list.
DEPTH, LOOKED_AT, ELEMENTS = 48, 3, 16

# Whether values of a type have memory of a device.
HOLDERS = {}


def holds_memory(kind):
    """Whether a type says where its values' memory is. Asking the type runs no code of the value."""
    known = HOLDERS.get(kind)
    if known is None:
        module = kind.__module__ if isinstance(kind.__module__, str) else ""
        known = not module.startswith(("numpy", "ctypes")) and (
            hasattr(kind, "__cuda_array_interface__") or callable(getattr(kind, "data_ptr", None))
        )
        HOLDERS[kind] = known
    return known


def extent(shape, strides, size):
    """Bytes from the first to the last element, with strides in bytes, or None for rows without gaps."""
    if 0 in shape:
        return 0
    if strides is None:
        strides, step = [], size
        for length in reversed(shape):
            strides.insert(0, step)
            step *= length
    if min(strides, default=0) < 0:
        return 0
    return size + sum((length - 1) * stride for length, stride in zip(shape, strides))


def of_torch(value):
    """Address, bytes and form of a tensor of PyTorch."""
    if not value.is_cuda:
        return None
    size = value.element_size()
    shape = tuple(value.shape)
    strides = [size * stride for stride in value.stride()]
    kind = str(value.dtype).removeprefix("torch.")
    return value.data_ptr(), extent(shape, strides, size), f"{kind}{list(shape)}"


def of_interface(value):
    """The same of an array with CUDA's array interface."""
    interface = value.__cuda_array_interface__
    address, _ = interface["data"]
    shape = tuple(interface["shape"])
    size = int(interface["typestr"][2:])
    kind = getattr(value, "dtype", interface["typestr"])
    return address or 0, extent(shape, interface.get("strides"), size), f"{kind}{list(shape)}"


def of_pointer(value):
    """The same of any object with a method ``data_ptr``, whose length is not known."""
    kind = getattr(value, "dtype", None)
    return value.data_ptr(), 0, "" if kind is None else str(kind)


def described(value):
    """Address, bytes and form of a value of the device's memory, or None."""
    kind = type(value)
    if not holds_memory(kind):
        return None
    try:
        torch = sys.modules.get("torch")
        plain = getattr(torch, "Tensor", None), getattr(getattr(torch, "nn", None), "Parameter", None)
        if torch is not None and isinstance(value, plain[0] or ()):
            # A subclass may do anything when it is asked.
            return of_torch(value) if kind in plain else None
        if hasattr(kind, "__cuda_array_interface__"):
            return of_interface(value)
        return of_pointer(value)
    except Exception:
        return None


def look(variables, found, prefix=""):
    """Adds the tensors of a mapping from names to values."""
    for name, value in list(variables.items()):
        if not isinstance(name, str) or name.startswith("_"):
            continue
        if name == "self" and not prefix:
            held = getattr(value, "__dict__", {})
            for group in (held, held.get("_parameters"), held.get("_buffers")):
                if isinstance(group, dict):
                    look(group, found, "self.")
        elif type(value) in (list, tuple):
            for index, element in enumerate(value[:ELEMENTS]):
                add(f"{prefix}{name}[{index}]", element, found)
        else:
            add(prefix + name, value, found)


def add(name, value, found):
    """Adds a value, if it is a tensor at an address that no variable before it has."""
    what = described(value)
    if what is not None and what[0] and (what[0], what[1]) not in found:
        found[what[0], what[1]] = (name, what[2])


def is_own(frame):
    """Whether code is the program's own. Compilers of kernels make launching code as text, which is in no file."""
    file = frame.f_code.co_filename
    if file == "<string>":
        return frame.f_globals.get("__name__") == "__main__"
    return not file.startswith("<warprace") and not any(part in file for part in PACKAGES)


def frames(frame):
    """The innermost frames of the program's own code."""
    passed = shown = 0
    while frame is not None and passed < DEPTH and shown < LOOKED_AT:
        if is_own(frame):
            shown += 1
            yield frame
        passed += 1
        frame = frame.f_back


def tensors():
    """A line for each tensor that the calling code has a name for: address, bytes (0: not known), name, type and shape."""
    found = {}
    try:
        caller = sys._getframe(1)
    except ValueError:
        return ""
    for number, frame in enumerate(frames(caller)):
        variables = frame.f_locals
        look(variables, found)
        if number == 0 and variables is not frame.f_globals:
            look(frame.f_globals, found)
    return "\n".join(f"{address}\t{bytes}\t{name}\t{form}" for (address, bytes), (name, form) in found.items())
