"""Batch grading: a folder of submissions in, a book of grades out; nothing finished is ever lost.

intake = ingest(path, exercises, …)   ingest.py, of tree, layouts, matching, roster   who handed in what; nothing is
                                      executed, nothing unpacked to disk
folder.keep(intake)                   folder.py        the mapping and the files' bytes, named by their content
run(folder, exercises, orders, …)     lanes.py, lane.py   several processes grade what has no result yet
bound(folder, exercises).book         books.py, bind.py   a pure function: results, the TA's overrides, lateness
…(book, …)                            grader/export/   the files that an LMS takes
page(book, reports)                   class_view.py, of class_counts, failures   the class at a glance
impact(old, new, …)                   impact.py, of again, edges, spread   what a regrade changes, for whom
similar(exercise, …)                  similar.py       files that stand out as alike; no grade depends on it

All that is known lies in `--out` as files, each written whole under another name first, so that a run can be killed
anywhere and begun again, and several machines may work on one folder:

mapping.json                     the table: submissions, people, files, problems
files/CONTENT                    bytes of the students' files
conditions/CONDITIONS.json       what a verdict was made with: digests of exercise and grader, toolchain, device, seed
conditions/current-EXERCISE.json those of the last run: verdicts made so are the ones that count
results/EXERCISE/CONTENT-CONDITIONS.json   one verdict; two students with the same bytes share it
claims/                          which process works on what; stale ones are taken over
late.yaml                        the late policy, where there is one
overrides.json                   what a TA decided by hand, with reasons; kept through every regrade
book.json, grades.csv, grades.html   made anew from all of these
gradescope/, students/, canvas.csv, …   what `export` wrote
"""
