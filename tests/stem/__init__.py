"""Processes of the program that start in a hundredth of the time.

Importing the program costs a second of CPU, and a suite starts it two hundred times. Here it is
imported once (`grow`), and each start is a fork of that: a process like any other, with its own
arguments, environment, folder, streams, signals and end. What is not the program's own doing, the
interpreter's start and the imports, is tested by real starts: `tests.cli.support.haima`, the demo
that is installed, the pipes of a shell.
"""
