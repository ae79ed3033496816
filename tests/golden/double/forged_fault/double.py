import grader.worker.python_file as own

reply = {"op": "raised", "type": "A", "message": "b", "frames": [], "not_implemented": False, "fault": 5}
own.PythonFile.call = lambda *arguments: reply


def double(x):
    return 2 * x
