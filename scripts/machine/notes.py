"""A server of notes, over HTTP and for those with the right token, written with FastMCP.

Usage: notes.py PORT TOKEN; the acceptance tests start it.
"""

import sys

from fastmcp import FastMCP
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier

port, token = int(sys.argv[1]), sys.argv[2]
auth = StaticTokenVerifier(tokens={token: {"client_id": "house", "scopes": []}})
server = FastMCP("notes", auth=auth)
notes = {"garden": "Water the tulips."}


@server.tool(annotations={"readOnlyHint": True})
def list_notes() -> str:
    """Lists the names of the notes."""
    return " ".join(notes)


@server.tool(annotations={"readOnlyHint": True})
def read_note(name: str) -> str:
    """Reads a note."""
    return notes[name]


@server.tool(annotations={"readOnlyHint": False, "destructiveHint": False})
def add_note(name: str, text: str) -> str:
    """Adds a note."""
    notes[name] = text
    return "It is added."


server.run(transport="http", host="127.0.0.1", port=port, show_banner=False, log_level="warning")
