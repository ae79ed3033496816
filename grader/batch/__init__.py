"""Batch grading: a folder of submissions in, a book of grades out; nothing finished is ever lost.

intake = ingest(path, exercises, …)     layouts/, archives.py, matching.py   who handed in what; nothing is executed
keep(out, intake)                       folder.py      the mapping and the files' bytes, named by their content
run(out, exercises, …)                  lanes.py       several processes grade what has no result yet
book = bind(mapping, results, …)        book.py        a pure function: results, the TA's overrides, lateness
export(book, …)                         grader/export/ the files that an LMS takes

All that is known lies in `--out` as files, each written whole under another name first, so that a run can be killed
anywhere and begun again, and several machines may work on one folder:

mapping.json                     the table: submissions, people, files, problems
files/CONTENT                    bytes of the students' files
conditions/CONDITIONS.json       what a verdict was made with: digests of exercise and grader, toolchain, device, seed
results/EXERCISE/CONTENT-CONDITIONS.json   one verdict; two students with the same bytes share it
claims/                          which process works on what; stale ones are taken over
overrides.json                   what a TA decided by hand, with reasons; kept through every regrade
book.json, grades.csv, grades.html   made anew from all of these
"""
