"""The files that an LMS takes, written from a book of grades; each format is one pure function to text."""
