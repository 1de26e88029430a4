"""The tables of llm's log as rows like those of `llm logs --json`: the older `responses`, the newer `turns`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.results.sqlite import Database

_CALL = ("id", "tool_id", "name", "arguments", "tool_call_id")
_RESULT = ("id", "tool_id", "name", "output", "tool_call_id", "exception")
_TOOL = ("id", "hash", "name", "description", "input_schema")
_UNSAID: dict[str, Any] = {"exception": None, "server_executed": False, "instance": None, "attachments": []}
_ATTACHMENT = ("id", "type", "path", "url")


class _Tables:
    """What both kinds of rows take from the other tables."""

    table = ""
    needed: frozenset[str] = frozenset()

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def present(self) -> bool:
        """Whether the database has the table that the rows come from."""
        return self.needed <= set(self._database.columns(self.table))

    def _one(self, table: str, columns: tuple[str, ...], key: Any) -> dict[str, Any]:
        """Return the row with this id, {} where there is none."""
        found = () if key is None else self._database.rows(table, columns, "id", key)
        return next(iter(found), {})

    def _listed(self, table: str, column: str, owner: str, key: Any) -> list[Any]:
        """Return `column` of the rows that belong to `key`, in the order that they give themselves."""
        rows = self._database.rows(table, (column, "order"), owner, key)
        return [row.get(column) for row in sorted(rows, key=_order)]

    def _schema(self, key: Any) -> Any:
        return _decoded(self._one("schemas", ("content",), key).get("content"))

    def _fragment(self, key: Any) -> dict[str, Any]:
        aliases = self._database.rows("fragment_aliases", ("alias",), "fragment_id", key)
        return self._one("fragments", ("hash", "content"), key) | {
            "aliases": [row["alias"] for row in aliases]
        }

    def _tool(self, key: Any) -> dict[str, Any]:
        row = self._one("tools", _TOOL, key)
        return row | {"input_schema": _decoded(row.get("input_schema")), "instance": None}

    def _attachments(self, table: str, owner: str, key: Any) -> list[dict[str, Any]]:
        keys = self._listed(table, "attachment_id", owner, key)
        return [
            self._one("attachments", _ATTACHMENT, each)
            | {"content_length": self._database.length("attachments", "content", "id", each)}
            for each in keys
        ]


class Responses(_Tables):
    """Entries of older versions: all that was asked and said in one row."""

    table = "responses"
    needed = frozenset({"id", "model", "prompt", "response"})
    _columns = (
        *("id", "model", "resolved_model", "prompt", "system", "prompt_json", "options_json", "response"),
        *("reasoning", "response_json", "conversation_id", "duration_ms", "datetime_utc", "input_tokens"),
        *("output_tokens", "token_details", "schema_id"),
    )

    def rows(self, moved: set[str]) -> Iterator[dict[str, Any]]:
        """Yield the entries by id, but for those that were `moved`."""
        if not self.present:
            return
        owned = {table: self._owned(table) for table in ("tool_calls", "tool_results")}
        tools = self._owned("tool_responses", "tool_id")
        for row in self._database.rows(self.table, self._columns, order="id"):
            key = row["id"] = str(row["id"])
            if key in moved:
                continue
            talk = self._one("conversations", ("name", "model"), row.get("conversation_id"))
            schema = self._schema(row.pop("schema_id", None))
            calls = [self._one("tool_calls", _CALL, each) for each in owned["tool_calls"].get(key, ())]
            yield {
                name: _decoded(value) if name.endswith("_json") else value for name, value in row.items()
            } | {
                "conversation_name": talk.get("name"),
                "conversation_model": talk.get("model"),
                "schema_json": schema,
                "prompt_fragments": self._fragments("prompt_fragments", key),
                "system_fragments": self._fragments("system_fragments", key),
                "tools": [self._tool(each) for each in tools.get(key, ())],
                "tool_calls": [each | {"arguments": _decoded(each.get("arguments"))} for each in calls],
                "tool_results": [
                    self._one("tool_results", _RESULT, each) for each in owned["tool_results"].get(key, ())
                ],
                "attachments": self._attachments("prompt_attachments", "response_id", key),
            }

    def _owned(self, table: str, column: str = "id") -> dict[str, list[Any]]:
        """Return the ids of the rows of a table by the entry that they belong to: no index leads there."""
        found: dict[str, list[Any]] = {}
        for row in self._database.rows(table, ("response_id", column)):
            found.setdefault(str(row.get("response_id")), []).append(row.get(column))
        return found

    def _fragments(self, table: str, key: str) -> list[dict[str, Any]]:
        return [self._fragment(each) for each in self._listed(table, "fragment_id", "response_id", key)]


class Turns(_Tables):
    """Entries of newer versions: messages in a chain, each with its parts, and turns that point to two of them.

    What was asked is the run of user and tool messages that ends in the parent of a turn, what was said the messages
    from there to its tip, and the system prompt the first message of the chain.
    """

    table = "turns"
    needed = frozenset({"id", "model", "parent_message_hash", "tip_message_hash"})
    _columns = (
        *("id", "model", "resolved_model", "options_json", "thread_id", "duration_ms", "datetime_utc"),
        *("input_tokens", "output_tokens", "token_details", "schema_id", "response_json"),
        *("parent_message_hash", "tip_message_hash"),
    )

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._known: dict[
            str, tuple[str | None, str | None] | None
        ] = {}  # message -> its parent and its role
        self._roots: dict[str, str] = {}

    def ids(self) -> set[str]:
        """Return the ids of the entries."""
        return {str(row["id"]) for row in self._database.rows(self.table, ("id",))} if self.present else set()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the entries by id."""
        if not self.present:
            return
        for row in self._database.rows(self.table, self._columns, order="id"):
            parent, tip = row.pop("parent_message_hash"), row.pop("tip_message_hash")
            thread, schema = row.pop("thread_id", None), row.pop("schema_id", None)
            given = self._chain(parent, ("user", "tool"))
            said = [part for each in self._chain(tip, until=parent) for part in self._parts(each)]
            asked = [(self._role(each), part) for each in given for part in self._parts(each)]
            key = row["id"] = str(row["id"])
            tools = [self._tool(each) for each in self._listed("turn_tools", "tool_id", "turn_id", key)]
            yield row | {
                "options_json": _decoded(row.get("options_json")) or {},
                "conversation_id": thread,
                "conversation_name": self._one("threads", ("name",), thread).get("name"),
                "conversation_model": row["model"],
                "schema_json": self._schema(schema),
                "prompt": _texts("text", [part for role, part in asked if role == "user"]),
                "system": self._system(parent),
                "response": _texts("text", said),
                "reasoning": _texts("reasoning", said) or None,
                "prompt_json": None,
                "response_json": _decoded(row.get("response_json")),
                "prompt_fragments": self._fragments("prompt", key),
                "system_fragments": self._fragments("system", key),
                "tools": tools,
                "tool_calls": _of_type("tool_call", said, tools, server_executed=False),
                "tool_results": _of_type("tool_result", [part for _, part in asked], tools, **_UNSAID)
                + _of_type("tool_result", said, tools, **_UNSAID | {"server_executed": True}),
                "attachments": [
                    found | {"content": True if found["content_length"] else None}
                    for _, part in asked
                    if part["type"] == "attachment"
                    for found in self._attachments("part_attachments", "part_id", part["id"])
                ],
            }

    def _chain(
        self, tip: str | None, roles: tuple[str, ...] | None = None, until: str | None = None
    ) -> list[str]:
        """Return the messages that end in `tip`, first to last: of these roles, after `until`."""
        found: dict[str, None] = {}
        while tip is not None and tip != until and tip not in found:
            self._database.check()
            message = self._message(tip)
            if message is None or (roles is not None and message[1] not in roles):
                break
            found[tip] = None
            tip = message[0]
        return [*found][::-1]

    def _system(self, tip: str | None) -> str | None:
        """Return the text of the first message of a chain, null where it is no system prompt."""
        seen: dict[str, None] = {}
        root = None
        while tip is not None and tip not in seen:
            self._database.check()
            if tip in self._roots:
                root = self._roots[tip]
                break
            message = self._message(tip)
            if message is None:
                break
            seen[tip], root, tip = None, tip, message[0]
        if root is None or self._role(root) != "system":
            self._roots |= dict.fromkeys(seen, root or "")
            return None
        self._roots |= dict.fromkeys(seen, root)
        return _texts("text", self._parts(root)) or None

    def _message(self, key: str) -> tuple[str | None, str | None] | None:
        if key not in self._known:
            row = next(iter(self._database.rows("messages", ("parent_hash", "role"), "hash", key)), None)
            self._known[key] = None if row is None else (row.get("parent_hash"), row.get("role"))
        return self._known[key]

    def _role(self, key: str) -> str | None:
        message = self._message(key)
        return None if message is None else message[1]

    def _parts(self, key: str) -> list[dict[str, Any]]:
        """Return the parts of a message: type, text and what else it has."""
        rows = self._database.rows(
            "parts", ("id", "position", "type", "text", "payload"), "message_hash", key
        )
        found = []
        for row in sorted(rows, key=lambda each: _order(each, "position")):
            payload = _decoded(row.get("payload"))
            rest = payload if isinstance(payload, dict) else {}
            text = self._joined(rest.get("text_ref")) if row.get("text") is None else row.get("text")
            found.append(rest | {"id": row.get("id"), "type": row.get("type"), "text": text})
        return found

    def _joined(self, pieces: Any) -> str:
        """Return a text that is cut where fragments are in it."""
        found = []
        for each in pieces if isinstance(pieces, list) else ():
            if isinstance(each, dict):
                piece = each.get("literal") or self._one("fragments", ("content",), each.get("fragment")).get(
                    "content"
                )
                found.append(piece if isinstance(piece, str) else "")
        return "".join(found)

    def _fragments(self, kind: str, key: str) -> list[dict[str, Any]]:
        rows = self._database.rows("turn_fragments", ("fragment_id", "order", "kind"), "turn_id", key)
        return [
            self._fragment(row.get("fragment_id"))
            for row in sorted(rows, key=_order)
            if row.get("kind") == kind
        ]


def _texts(kind: str, parts: list[dict[str, Any]]) -> str:
    return "".join(part["text"] for part in parts if part["type"] == kind and isinstance(part["text"], str))


def _of_type(
    kind: str, parts: list[dict[str, Any]], tools: list[dict[str, Any]], **unsaid: Any
) -> list[dict[str, Any]]:
    """Return the calls or the results of tools among parts, with what they leave unsaid and the tool of their name."""
    ids = {tool.get("name"): tool.get("id") for tool in tools if isinstance(tool.get("name"), str)}
    found = [each for each in parts if each["type"] == kind]
    named = [each | {"tool_id": ids.get(str(each.get("name")))} for each in found]
    return [
        {key: value for key, value in (unsaid | each).items() if key not in ("type", "text")}
        for each in named
    ]


def _order(row: dict[str, Any], key: str = "order") -> float:
    value = row.get(key)
    return value if isinstance(value, int | float) else 0


def _decoded(value: Any) -> Any:
    """Return the JSON that a text holds; what is none stays a text."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return value
