"""What students' files, exercises and the worker import: it knows no exercise and no expected value."""
