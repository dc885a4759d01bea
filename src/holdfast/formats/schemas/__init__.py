"""The JSON that Holdfast publishes: one definition for each, which encodes a value and makes its JSON Schema.

shape      the language of definitions
pieces     what several of them share
catalogue  all of them: docs/reference/schemas is made of it

The others hold the definitions, by what they are about.
"""
