"""A `.cu` file compiled by nvcc where it runs on the CPU: what a GPU's compiler says of its kernels.

compile  {prototypes, architecture, timeout_s} + [source]  ->  compiled {kernels, refusal, problem}
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from grader.worker import report
from shared.compiled_kernels import Compiled
from shared.cuda import kernels, prototype


def compile_kernels(message: dict[str, Any], source: bytes) -> dict[str, Any]:
    """Compile the kernels and run nothing. What is not the compiler's word on the text is a problem."""
    prototypes = [prototype.parse(text) for text in message["prototypes"]]
    text, file, folder = source.decode(), message["file"], Path(tempfile.mkdtemp(prefix="build-"))
    try:
        found = kernels.compiled(text, file, prototypes, folder, message["architecture"], message["timeout_s"])
    except Exception as error:
        found = Compiled(problem=f"{type(error).__name__}: {error}")
    return report.compiled(found)
