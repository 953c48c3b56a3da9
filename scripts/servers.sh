#!/usr/bin/env bash
# Installs MCP servers of others in Python for the acceptance tests, and prints the
# directory of their environment: those of machine/servers.txt, and FastMCP of
# machine/fastmcp.txt.
#
# Everything goes into .tools, which git ignores; what is there already is left alone.
# Nothing of it is linked or shipped. Usage: scripts/servers.sh
set -euo pipefail

say() { printf 'servers: %s\n' "$*" >&2; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lists=("$here/machine/servers.txt" "$here/machine/fastmcp.txt")

# Other lists are another directory, so that a change is never half done.
sum=$(cat "${lists[@]}" | sha256sum | cut -c1-12)
tools=$(dirname "$here")/.tools
dir=$tools/servers-$sum
mkdir -p "$tools"
exec 9>"$tools/servers.lock" # two tests may ask at once
flock 9

if [ ! -d "$dir" ]; then
  if ! python3 -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "there is no Python 3.11 or newer with venv here; install it (Debian: python3-venv) and run this again"
    exit 3
  fi
  say "installing into $dir (half a minute):"
  grep -hiE '^(mcp|mcp-server-[a-z]+|fastmcp-slim)==' "${lists[@]}" | sed 's/^/  /' >&2
  rm -rf "$dir.new"
  python3 -m venv "$dir.new"
  if ! "$dir.new/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --prefer-binary -r "${lists[0]}" -r "${lists[1]}" >&2; then
    rm -rf "$dir.new"
    say "pip could not install them; its own message is above"
    exit 1
  fi
  mv "$dir.new" "$dir"
fi
echo "$dir"
