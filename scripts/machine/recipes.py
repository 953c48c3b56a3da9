"""A server of recipes that speaks revision 2026-07-28 alone, over stdio, written with
Python's MCP library. The library speaks the revisions before as well; only what serves
the newest is used here, and it refuses initialize by itself.
"""

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.runner import _serve_modern_stream
from mcp.server.stdio import stdio_server
from mcp.types import ToolAnnotations

server = MCPServer("recipes")
recipes = {"soup": "Leeks and cream."}
reads = ToolAnnotations(read_only_hint=True)
writes = ToolAnnotations(read_only_hint=False, destructive_hint=False)


@server.tool(annotations=reads)
def list_recipes() -> str:
    """Lists the names of the recipes."""
    return " ".join(recipes)


@server.tool(annotations=reads)
def read_recipe(name: str) -> str:
    """Reads a recipe."""
    return recipes[name]


@server.tool(annotations=writes)
def add_recipe(name: str, text: str) -> str:
    """Adds a recipe."""
    recipes[name] = text
    return "It is added."


async def main() -> None:
    low = server._lowlevel_server
    async with stdio_server() as (read, write), low.lifespan(low) as state:
        await _serve_modern_stream(low, read, write, lifespan_state=state, raise_exceptions=False)


anyio.run(main)
