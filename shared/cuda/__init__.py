"""CUDA source files: built for a GPU by nvcc, or for the CPU by the host compiler.

A kernel file has kernels and C functions that launch them, no more. With a GPU, `build.build_gpu`
hands it to nvcc as it is. Without one, `build.build_cpu` turns `<<< >>>` and `__shared__` into
plain C++ (`rewrite`) and compiles it against the headers and the runtime in `emulator/`, where the
threads of a block are fibers on one OS thread. Either way the result is a shared library, and
`library` calls its functions by the prototypes that the exercise declares (`prototype`).

The runtime runs one block after another and one thread at a time, always in the same order: the
same file gives the same result and the same fault each time. A fault ends the launch, not the
process, where that is possible.

Every access of a kernel is checked, and counted where that is asked for (`emulator/runtime`: hooks, access, races,
traffic): g++ is told to call us before each one, as it would call its own sanitizers. clang++ is not, so there kernels
run and are not counted.

Device memory is out of reach while a launcher's host code runs, as on a GPU, and an access in a
kernel at an address that is no multiple of its size is a fault. g++ checks every such access;
clang++ leaves out copies of whole vectors.

The package needs the standard library only.
"""
