"""Answers in words, for the person at a terminal: a value in, lines out.

A function here knows neither where the lines go nor whether that place has colours: it is given a `Paint`.
"""
