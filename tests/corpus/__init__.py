"""Files that are graded as a course would grade them: `tests/exploits` must gain nothing, `tests/honest` must pass.

header.py   what a file's leading comment says of it
course.py   a course on disk with secrets in it: hidden tests, solutions, others' submissions, grades
traces.py   what a submission may leave behind: processes, files, changed files
runner.py   grade one file at one level of the sandbox, and say what is wrong with the outcome
matrix.py   all of them, as a table
"""
