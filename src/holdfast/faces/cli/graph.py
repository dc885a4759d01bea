"""`holdfast graph`: documents and the URLs they cite, for other programs."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import answer, out
from holdfast.faces.cli.flags import add_state, settings_from
from holdfast.questions.link_graph import write_dot, write_graphml

HELP = """\
Write the graph of documents and the URLs they cite: for Graphviz (dot), for Gephi, yEd and NetworkX
(graphml), or as JSON with the ids and payloads of every node. Nothing is asked."""

_FORMATS = ("dot", "graphml", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--format", choices=_FORMATS, default="dot", help="by default dot")
    add_state(parser)


def run(args: argparse.Namespace) -> ExitStatus:
    """Write it."""
    with jobs.read_store.open_reader(settings_from(args)) as reader:
        graph = reader.graph()
    if args.json or args.format == "json":
        answer("graph", graph)
    else:
        out(write_dot(graph) if args.format == "dot" else write_graphml(graph))
    return ExitStatus.SUCCESS
