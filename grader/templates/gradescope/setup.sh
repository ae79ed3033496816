#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the autograder's image.
set -euo pipefail
here=/autograder/source

apt-get update
apt-get install -y --no-install-recommends g++ util-linux python3 python3-venv
apt-get clean

# Submissions run as another user, so Python must lie where everybody can read it, and the course where root alone can.
python3 -m venv /opt/kernel-grader
/opt/kernel-grader/bin/python -m pip install --quiet --no-cache-dir \
    --extra-index-url https://download.pytorch.org/whl/cpu \
    --constraint "$here/course/constraints.txt" \
    torch triton numpy pytest pyyaml pydantic rich typer filelock
chmod -R a+rX /opt/kernel-grader
chmod -R go-rwx "$here"

# What is compiled once per machine is compiled now, and not while a student waits.
cd "$here/course"
/opt/kernel-grader/bin/python -m grader doctor
