"""The tools and resources of `holdfast mcp`, over stdio or HTTP, and the runs that an agent may start.

1. There are few tools; each says what it is for and when not to use it. An error that we foresee goes to
   the agent in words, with what to do; a trace never does.
2. Over HTTP, `holdfast serve` puts the same tools under `/mcp`. Each request is whole in itself: it has a
   server of its own and leaves nothing behind. Who may ask was decided before (`faces/web/guard`).
3. Where whoever started the server agreed to it, an agent may start a run, follow it, stop it. A run is
   what a person would start from the page of `holdfast serve`: an update of a mirror that is there, or a
   check of what checked documents cite. Nothing else can be started, and no address can be named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from holdfast import __version__, jobs
from holdfast.core.base.errors import HoldfastError, UsageError
from holdfast.core.base.shown_text import harmless
from holdfast.faces.mcp.agent_rows import Answers, Plain
from holdfast.faces.mcp.row_tools import row_tools
from holdfast.faces.mcp.stdio import answer_all
from holdfast.questions.rows.resolve_target import mirrors_held

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from holdfast.jobs.sync.acting import StartableRun, StartedRun


P = ParamSpec("P")
_INSTRUCTIONS: Final = """\
Holdfast keeps mirrors of documentation sites with every version they had, and knows what the user's own
documents cite. Everything comes from what was kept. Cite what you use by `url`, section, `version` and
`fetched_at`: they name exactly what you read. Start with `status`."""
_READS: Final = " Nothing is fetched, and nothing can be changed."
_MAY_ACT: Final = """ The user agreed that you start runs: an update of a mirror, or a check of links, where
what is kept is too old for the question. Ask before you start one that was not asked for."""
_READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_ACTS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)
TOOLS: Final = {
    "search": (
        "Find the sections that say something: all words must be there, exact API names come first. `site` "
        "is a host; `at` a date: as it was then; `kind` is prose, code, table or api. Then `show` the `url` "
        "of a hit, section and all."
    ),
    "citations": (
        "Given a URL: which of the user's documents cite it, and where. Given a document: what it cites."
    ),
    "broken": (
        "Citations of dead links, with evidence and place (path:line:column). `path` limits it to documents "
        "whose path begins so; `suspect` adds links that failed and are not confirmed yet."
    ),
}
"""What each tool is for, as agents read it, besides those that rows declare."""


class PlainServer(MCPServer[Any]):
    """A server that tells wrong arguments in a line, without a library's addresses, and answers all that
    was asked before its input ended.
    """

    async def run_stdio_async(self) -> None:
        """Answer over standard input and output."""
        options = self._lowlevel_server.create_initialization_options()
        async with stdio_server() as (asked, answers):
            await answer_all(
                partial(self._lowlevel_server.run, initialization_options=options), asked, answers
            )

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {_wrong_arguments(error.__cause__)}") from None
            raise


def _wrong_arguments(error: ValidationError) -> str:
    told = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg'].lower()}" for one in told)


def make_server(
    sources: Sequence[jobs.served_stores.ServedState], runs: jobs.sync.acting.RunStarter | None = None
) -> MCPServer[Any]:
    """The server for these stores; without `runs` nothing can be started or changed by it."""
    answers = Answers(sources)
    told = _INSTRUCTIONS + (_MAY_ACT if runs else _READS)
    server = PlainServer("holdfast", instructions=told, version=__version__, log_level="WARNING")
    _add_tools(server, {name: (about, getattr(answers, name)) for name, about in TOOLS.items()}, _READ_ONLY)
    rows = row_tools(sources)
    _add_tools(server, rows, _READ_ONLY)
    if runs is not None:
        acts = AgentActions(sources, runs)
        _add_tools(server, {name: (about, getattr(acts, name)) for name, about in ACTIONS.items()}, _ACTS)
    _add_resources(server, answers, *rows["status"])
    return server


def _add_tools(
    server: MCPServer[Any], tools: Mapping[str, tuple[str, Callable[..., Plain]]], how: ToolAnnotations
) -> None:
    for name, (about, answer) in tools.items():
        tool = server.tool(name=name, description=about, annotations=how, structured_output=True)
        tool(_in_words(answer, ToolError))


def _add_resources(server: MCPServer[Any], answers: Answers, about: str, kept: Callable[[], Plain]) -> None:
    @server.resource("holdfast://status", name="status", description=about)
    def status() -> Plain:
        return _in_words(kept, ResourceError)()

    @server.resource(
        "holdfast://page/{+url}",
        name="page",
        description="A kept page as Markdown, whole. A `?` in its address is written `%3F`.",
        mime_type="text/markdown",
    )
    def page(url: str) -> str:
        found = _in_words(answers.page, ResourceError)(url)
        head = f"<!-- {found['url']} version {found['version']}, fetched {found['fetched_at']} -->\n"
        return head + str(found["text"])


def _in_words(answer: Callable[P, Plain], kind: type[Exception]) -> Callable[P, Plain]:
    """An answer whose errors an agent can read."""

    @wraps(answer)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Plain:
        try:
            return answer(*args, **kwargs)
        except HoldfastError as error:
            raise kind(error.message + (f"; {error.hint}" if error.hint else "")) from None

    return asked


def make_app(
    sources: Sequence[jobs.served_stores.ServedState], runs: jobs.sync.acting.RunStarter | None = None
) -> Starlette:
    """The same over HTTP; who may ask was decided before, and no request leaves anything behind."""
    checked_before = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return make_server(sources, runs).streamable_http_app(
        stateless_http=True, json_response=True, transport_security=checked_before
    )


Arguments = dict[str, Any]
_LINES: Final = 20
ACTIONS: Final = {
    "runs": (
        "What can be started here (`startable`: updates of mirrors, checks of cited links), and how the runs "
        "that were started are going: state, progress, last lines. Look here again until `state` is not "
        "`running`."
    ),
    "start": (
        "Start a run that `runs` lists, by its `source` and `run`. An update asks the mirrored site for what "
        "changed. A check reads the documents; it asks the cited URLs only with `ask_urls`. It goes on by "
        "itself: this answers at once with its `number`."
    ),
    "stop": "Stop a run that was started here, by its `source` and `number`; what it has is kept.",
}
"""What each of these tools is for, as agents read it."""


class AgentActions:
    """Who starts runs for an agent."""

    def __init__(
        self, sources: Sequence[jobs.served_stores.ServedState], runs: jobs.sync.acting.RunStarter
    ) -> None:
        self._sources = {source.name: source for source in sources}
        self._runs = runs

    def runs(self) -> Arguments:
        """What can be started, and what was."""
        return {
            "startable": [
                _startable(source.name, run)
                for source in self._sources.values()
                for run in _startable_runs(source)
            ],
            "started": [
                _started(source.name, run)
                for source in self._sources.values()
                for run in self._runs.runs(source)
            ],
        }

    def start(self, source: str, run: str, *, ask_urls: bool = False) -> Arguments:
        """Start a run."""
        served = self._source(source)
        for known in _startable_runs(served):
            if known.name == run:
                number = self._runs.start(served, known, consent=ask_urls)
                return _started(source, self._runs.run(served, number))
        raise UsageError(f"there is no run {run[:200]!r} to start", hint="`runs` lists what can be started")

    def stop(self, source: str, number: int) -> Arguments:
        """Stop a run."""
        served = self._source(source)
        self._runs.stop(served, number)
        return _started(source, self._runs.run(served, number))

    def _source(self, name: str) -> jobs.served_stores.ServedState:
        if name not in self._sources:
            raise UsageError(
                f"there is no source {name[:80]!r}", hint=f"there are: {', '.join(self._sources)}"
            )
        return self._sources[name]


def _startable_runs(source: jobs.served_stores.ServedState) -> tuple[StartableRun, ...]:
    with source.open() as reader:
        labels = reader.ask(mirrors_held)
        return jobs.sync.acting.startable_runs(source, labels, reader.documents())


def _startable(source: str, run: StartableRun) -> Arguments:
    return {
        "source": source,
        "run": run.name,
        "about": run.about,
        "asks_urls_only_with_ask_urls": run.needs_consent,
        "why_not": run.why_not or None,
    }


def _started(source: str, run: StartedRun) -> Arguments:
    return {
        "source": source,
        "number": run.number,
        "about": run.about,
        "command": run.command,
        "started_at": run.started_at.isoformat(timespec="seconds"),
        "state": run.state,
        "exit_status": run.status,
        "progress": list(run.said.progress) if run.said.progress else None,
        "last_lines": [harmless(line) for line in run.said.lines[-_LINES:]],
    }
