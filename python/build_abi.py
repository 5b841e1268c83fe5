"""Writes finf/_abi.py, the declarations of libfinf for cffi, from include/finf.h itself.

Usage: python3 build_abi.py FINF_H OUT [CC]

The header is preprocessed by the C compiler, which expands its lists of choices into enums. What
is left is what cffi reads, so that nothing is declared a second time. The plain numbers among its
macros become constants of the same name.
"""
import re
import subprocess
import sys

import cffi

# The flag that C polls without Python: see _call.py.
POLL = "int atoi(const char *text);"


def declarations(header: str, compiler: str) -> str:
    """The header's declarations without macros, comments and includes."""
    plain = "\n".join(line for line in header.splitlines() if not line.startswith("#include"))
    expanded = subprocess.run([compiler, "-E", "-P", "-x", "c", "-"], input=plain, text=True,
                              stdout=subprocess.PIPE, check=True).stdout
    return "\n".join(line for line in expanded.splitlines() if not line.startswith("#"))


def constants(header: str) -> str:
    """#define lines whose value is a whole number."""
    found = re.findall(r"^#define (FINF_\w+) (\d+)u?(?:\s|$)", header, re.MULTILINE)
    return "\n".join(f"#define {name} {value}" for name, value in found)


def main(path: str, out: str, compiler: str = "cc") -> None:
    with open(path, encoding="utf-8") as f:
        header = f.read()
    builder = cffi.FFI()
    builder.cdef("\n".join([POLL, constants(header), declarations(header, compiler)]))
    builder.set_source("finf._abi", None)
    builder.emit_python_code(out)
    version = re.findall(r'^#define FINF_VERSION "(.*)"', header, re.MULTILINE)[0]
    with open(out, "a", encoding="utf-8") as f:
        f.write(f'VERSION = "{version}"\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
