"""Makes the wheel: ``python3 wheel.py VERSION PROGRAM FOLDER`` prints its path. Libraries are beside the program.

Needs nothing but Python. The platform tag is the newest glibc that the program and its library ask for.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).parent
# The same bytes for the same contents.
DATE = (2020, 1, 1, 0, 0, 0)
LIBRARIES = ["libinject.so", "libwarprace_gpu.so"]


def platform(*binaries):
    versions = {(2, 17)}
    for binary in binaries:
        versions |= {(int(a), int(b)) for a, b in re.findall(rb"GLIBC_(\d+)\.(\d+)", binary.read_bytes())}
    return "manylinux_%d_%d_x86_64" % max(versions)


def main(version, program, folder):
    program = pathlib.Path(program)
    libraries = [program.with_name(name) for name in LIBRARIES]
    tag = f"py3-none-{platform(program, *libraries)}"
    info = f"warprace-{version}.dist-info"
    root = HERE.parent
    metadata = f"""Metadata-Version: 2.1
Name: warprace
Version: {version}
Summary: Finds the data races of CUDA programs, on machines without a GPU
License: MIT OR Apache-2.0
Classifier: Environment :: Console
Classifier: Framework :: Pytest
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{(root / "README.md").read_text(encoding="utf-8")}"""
    wheel = f"Wheel-Version: 1.0\nGenerator: warprace\nRoot-Is-Purelib: false\nTag: {tag}\n"
    points = "[console_scripts]\nwarprace = warprace:main\n\n[pytest11]\nwarprace = warprace.pytest_plugin\n"
    files = {f"warprace/{path.name}": path.read_bytes() for path in sorted((HERE / "warprace").glob("*.py"))}
    files["warprace/bin/warprace"] = program.read_bytes()
    files.update({f"warprace/bin/{library.name}": library.read_bytes() for library in libraries})
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = wheel.encode()
    files[f"{info}/entry_points.txt"] = points.encode()
    for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
        files[f"{info}/licenses/{name}"] = (root / name).read_bytes()
    record = f"{info}/RECORD"
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    rows = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = ("\n".join([*rows, f"{record},,"]) + "\n").encode()
    out = pathlib.Path(folder) / f"warprace-{version}-{tag}.whl"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            mode = 0o755 if name.startswith("warprace/bin/") else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
