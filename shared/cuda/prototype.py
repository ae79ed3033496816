"""The C functions that an exercise asks for, read from their declarations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shared.cuda.tokens import code

STREAM = "cudaStream_t"
SCALARS = ("float", "double", "int", "int32_t", "int64_t", "uint32_t", "uint8_t", "bool")
REDUCED = ("half", "__nv_bfloat16")  # only behind a pointer: Python's ctypes cannot pass them
RETURNS = ("int",)


class PrototypeError(ValueError):
    """A declaration that cannot be read, or has a type that cannot be passed."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a C function; `type` is the scalar's, behind the pointer if there is one."""

    name: str
    type: str
    is_pointer: bool
    is_const: bool

    @property
    def is_output(self) -> bool:
        """Whether the function may write through the parameter."""
        return self.is_pointer and not self.is_const

    def __str__(self) -> str:
        const = "const " if self.is_const else ""
        star = "*" if self.is_pointer else ""
        return f"{const}{self.type}{star} {self.name}"


@dataclass(frozen=True)
class Prototype:
    """A C function's name, the type that it returns, and its parameters."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"{self.returns} {self.name}({', '.join(map(str, self.parameters))})"


def parse(declaration: str) -> Prototype:
    """Read a declaration such as `int gelu(const float* x, int64_t n, cudaStream_t stream)`.

    `extern "C"` and a semicolon may stand around it. Raises PrototypeError.
    """
    words = list(code(declaration))
    if words[:2] == ["extern", '"C"']:
        words = words[2:]
    if words[-1:] == [";"]:
        words = words[:-1]
    if len(words) < 4 or words[2] != "(" or words[-1] != ")":
        raise PrototypeError(f"not a declaration of a C function: {declaration!r}")
    returns, name = words[0], words[1]
    if returns not in RETURNS:
        raise PrototypeError(f"{name} returns {returns}; it must return int")
    _check_name(name)
    parameters = tuple(_parameter(part) for part in _split(words[3:-1]))
    _check_parameters(name, parameters)
    return Prototype(name, returns, parameters)


def arguments(prototype: Prototype) -> tuple[Parameter, ...]:
    """Return the parameters without the stream."""
    return tuple(p for p in prototype.parameters if p.type != STREAM)


def header(prototypes: Iterable[Prototype]) -> str:
    """Return C++ text that declares the functions, to be included before a kernel file.

    With it, a definition that lacks `extern "C"` still has C linkage, and an `extern "C"` one with
    other parameters is a compile error at its line.
    """
    prototypes = tuple(prototypes)
    types = {p.type for prototype in prototypes for p in prototype.parameters}
    lines = ["#include <cstdint>", "#include <cuda_runtime.h>"]
    if "half" in types:
        lines.append("#include <cuda_fp16.h>")
    if "__nv_bfloat16" in types:
        lines.append("#include <cuda_bf16.h>")
    lines += [f'extern "C" __attribute__((visibility("default"))) {prototype};' for prototype in prototypes]
    return "\n".join(lines) + "\n"


def entry_name(name: str) -> str:
    """Return the name of the function that calls a launcher on the CPU; see `entries`."""
    return f"cuda_emulator_call_{name}"


def entries(prototypes: Iterable[Prototype]) -> str:
    """Return C++ text to follow the header, for the CPU: for each launcher a function that calls it.

    It takes the launcher's address, so that the text names no function that may be missing, and
    then the launcher's arguments.
    """
    return "".join(map(_entry, prototypes))


def _entry(prototype: Prototype) -> str:
    parameters = [f"decltype(&{prototype.name}) cuda_emulator_launcher", *map(str, prototype.parameters)]
    values = ", ".join(p.name for p in prototype.parameters)
    stream = next((p.name for p in prototype.parameters if p.type == STREAM), "nullptr")
    return (
        f'extern "C" __attribute__((visibility("default"))) '
        f"int {entry_name(prototype.name)}({', '.join(parameters)}) {{\n"
        f"  auto cuda_emulator_body = [&]() -> int {{ return cuda_emulator_launcher({values}); }};\n"
        "  using CudaEmulatorBody = decltype(cuda_emulator_body);\n"
        "  return ::cuda_emulator::call_launcher(\n"
        "      [](void* data) -> int { return (*static_cast<CudaEmulatorBody*>(data))(); },\n"
        f"      &cuda_emulator_body, {stream});\n"
        "}\n"
    )


def _split(words: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == ",":
            parts.append([])
        else:
            parts[-1].append(word)
    return [] if parts in ([[]], [["void"]]) else parts


def _parameter(words: list[str]) -> Parameter:
    text = " ".join(words)
    kept = [word for word in words if word not in ("const", "*", "__restrict__")]
    if len(kept) != 2:
        raise PrototypeError(f"not a parameter with a type and a name: {text!r}")
    type_, name = kept
    num_stars = words.count("*")
    if num_stars > 1:
        raise PrototypeError(f"a pointer to a pointer cannot be passed: {text!r}")
    _check_name(name)
    _check_type(type_, num_stars == 1, text)
    is_const = "const" in words and ("*" not in words or words.index("const") < words.index("*"))
    return Parameter(name, type_, num_stars == 1, is_const)


def _check_name(name: str) -> None:
    if not name.isidentifier():
        raise PrototypeError(f"not a name: {name!r}")


def _check_type(type_: str, is_pointer: bool, text: str) -> None:
    if type_ in SCALARS or (type_ in REDUCED and is_pointer):
        return
    if type_ == STREAM and not is_pointer:
        return
    if type_ in REDUCED:
        raise PrototypeError(f"{type_} can only be passed by pointer: {text!r}")
    allowed = ", ".join(SCALARS + REDUCED)
    raise PrototypeError(f"the type {type_} is not supported: {text!r}; supported: {allowed}")


def _check_parameters(function: str, parameters: tuple[Parameter, ...]) -> None:
    names = [p.name for p in parameters]
    if len(set(names)) < len(names):
        raise PrototypeError(f"{function} has two parameters of one name")
    if any(p.type == STREAM for p in parameters[:-1]):
        raise PrototypeError(f"{function}: the {STREAM} must be the last parameter")
