"""The files that an LMS takes, written from a book of grades; each format is pure functions to text.

gradescope.py    results.json of one submission, after docs/gradescope.schema.json
canvas.py        the TA's own gradebook with grades filled in; csv_cells.py changes single cells of a file
classroom50.py   result.json of one submission
junit.py         JUnit xml of one submission
plain_csv.py     one table for spreadsheets
students.py      one page in markdown for each person

What students read comes from feedback.py. No format gets a number for what is not decided: see `Grade.is_open`.
"""
