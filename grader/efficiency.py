"""The efficiency step of the pipeline: one call for each setting of its cases, and what it moved, counted.

It is always made on the CPU back ends, whatever device is graded on, so the marks are the same everywhere. Only a call
with a right result counts; where the back end itself fails, or is too slow, nobody's points are touched.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

from grader import rules
from grader.boundary.host import Host
from grader.boundary.proxy import SubmissionProxy
from grader.bounds import Counted, believed
from grader.exercise import EfficiencyCase, Exercise
from grader.records import Failure, Finding
from grader.status import Status
from grader.testing.expect import Expect
from grader.testing.inputs import Make, given
from grader.testing.run import load_reference

OURS = (Status.COMPILE_ERROR, Status.INVALID_SUBMISSION, Status.TIMEOUT)
"""What is the back end's doing when it befalls a submission that has passed its tests."""
NEEDS_GXX = "nothing was counted: that takes g++ on Linux"
NEEDS_KERNEL = "nothing was counted: no kernel was interpreted"


def count(exercise: Exercise, host: Host, seed: int, progress: Callable[[str], None]) -> dict[str, Counted]:
    """The evidence for each efficiency case by its name; cases with equal arguments share one call.

    `host` runs the submission on the CPU.
    """
    calls: dict[str, Counted] = {}
    found: dict[str, Counted] = {}
    for case in exercise.efficiency:
        key = repr(sorted(case.arguments.items()))
        if key not in calls:
            progress(case.name)
            calls[key] = _counted(exercise, host, case.arguments, Make(seed, exercise.name, "efficiency", key))
        found[case.name] = _with_predictions(exercise, host, case, calls[key])
    return found


def not_measured(finding: Finding) -> Counted:
    """No count, by nobody's fault."""
    return Counted(finding=Finding(Status.NOT_MEASURED, f"not counted: {finding.summary}"))


def _counted(exercise: Exercise, host: Host, arguments: dict[str, Any], make: Make) -> Counted:
    """One call, in a worker of its own."""
    blocked = host.blocked()  # by what is not held against it below: it has passed its tests
    if blocked is not None:
        return not_measured(blocked)
    proxy = SubmissionProxy(host, "cpu", counts_traffic=True)
    try:
        return _call(exercise, host, proxy, load_reference(exercise), arguments, make)
    except Failure as failure:
        found = failure.finding
        return not_measured(found) if found.nobodys_fault or found.status in OURS else Counted(finding=found)
    except Exception as error:
        text = f"counting itself failed ({type(error).__name__}); this is not your fault"
        return Counted(finding=Finding(Status.GRADER_ERROR, text, details=traceback.format_exc(limit=-3)))
    finally:
        proxy.close()


def _with_predictions(exercise: Exercise, host: Host, case: EfficiencyCase, counted: Counted) -> Counted:
    """With what the student's functions say of the call, in a worker that has not seen it."""
    if not case.predicted or counted.traffic is None or host.blocked() is not None:
        return counted
    proxy = SubmissionProxy(host, "cpu")
    parameters = {entry.name: entry.parameters for entry in exercise.entries}
    try:
        said = {
            quantity: getattr(proxy, name)(*(case.arguments[p] for p in parameters[name]))
            for quantity, name in case.predicted.items()
        }
    except Failure as failure:
        return replace(counted, finding=failure.finding)
    finally:
        proxy.close()
    return replace(counted, predicted=said)


def _call(
    exercise: Exercise, host: Host, proxy: SubmissionProxy, reference: ModuleType, arguments: dict[str, Any], make: Make
) -> Counted:
    """What the entry point moved; raises Failure where its result, or where that comes from, is not right."""
    args = tuple(reference.make_inputs(make, **arguments))
    entry = exercise.entries[0]
    outputs = exercise.outputs(entry)
    inputs = given(args, outputs)
    result = getattr(proxy, entry.name)(*args)
    traffic = proxy.traffic
    wanted = args[outputs[0]] if outputs else reference.baseline(*inputs)
    ref, tolerance = reference.reference(*inputs), reference.tolerance(*inputs)
    Expect(proxy, entry.name)(args[outputs[0]] if outputs else result, ref, dtype=wanted.dtype, tolerance=tolerance)
    broken = rules.broken(exercise, proxy.called, host.text)
    if broken is None and proxy.may_be_decoy and proxy.is_decoy():
        broken = rules.decoy()
    if broken is not None:
        raise Failure(broken)
    if traffic is None or (exercise.is_cuda and not traffic.sites):
        return Counted(finding=Finding(Status.NOT_MEASURED, NEEDS_GXX if exercise.is_cuda else NEEDS_KERNEL))
    found = believed(traffic, host.text)
    return Counted(exercise.file, host.text, found, reference.cost(*inputs))
