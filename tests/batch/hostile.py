"""What students put into names, files and prints to see what happens."""

from __future__ import annotations

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.batch.mapping import Person
from grader.export.feedback import Reports
from grader.records import Finding
from grader.status import Status
from tests.batch.made_up import entry, exercise, file, mapping, report, result, results, setting

PRINTS = (
    "\x1b[31mred\x07\x00 </testcase>]]>&amp; ````\n# heading\n<script>alert(1)</script> \ud800\ufffe \u202eevil\r\nend"
)
NAME = "=cmd|' /C calc'!A0\n\"Ada\", <b>*A*</b>; [x](y) `z` \x1b[2J\u202e"
WRONG = Finding(Status.RUNTIME_ERROR, "raised", PRINTS, PRINTS, (PRINTS,))


def made(reason: str = "", open_grade: bool = False) -> tuple[Book, Reports]:
    """One submission in which everything that people write is hostile."""
    person = Person(id="../@é=1", name=NAME, email="-1+1@example.org")
    settings = [setting("test_small", 4, WRONG, output=PRINTS), setting("test_hidden", 6, WRONG, True, PRINTS)]
    found = [] if open_grade else [result(made=report(settings=settings))]
    overrides = [Override(entry="1", exercise="adding", points=9, reason=reason)] if reason else []
    handed = entry("1", files=[file("adding")]).model_copy(update={"people": (person,), "problems": (PRINTS,)})
    book = bind(mapping(handed), [exercise("adding"), exercise("scaling")], results(*found), overrides)
    return book, {(one.exercise, one.name): one.report for one in found}
