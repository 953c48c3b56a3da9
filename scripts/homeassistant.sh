#!/usr/bin/env bash
# Installs Home Assistant for the acceptance tests, and prints the directory
# of its Python environment. Usage: scripts/homeassistant.sh PYTHON, such as 3.13: there
# is a list of pinned packages for it beside this script. Status 3 means that this
# machine lacks that Python. PYTHON-mcp, such as 3.13-mcp, installs only what its own MCP
# server needs beside it; the tests name that directory in PYTHONPATH. 3.13-2026 is a newer
# release, which asks for a later Python 3.13 than this machine may have: start it with
# homeassistant/run.py.
#
# Everything goes into .tools, which git ignores; what is there already is left alone.
# Nothing of it is linked or shipped.
set -euo pipefail

say() { printf 'homeassistant: %s\n' "$*" >&2; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=${1:-}
list=$here/homeassistant/requirements-$version.txt
if [ -z "$version" ] || [ ! -f "$list" ]; then
  say "expected a version of Python that there is a list for: $(cd "$here/homeassistant" && ls requirements-*.txt | tr '\n' ' ')"
  exit 2
fi

# Another list is another directory, so that a change is never half done.
sum=$(sha256sum "$list" | cut -c1-12)
tools=$(dirname "$here")/.tools
dir=$tools/homeassistant-$version-$sum
mkdir -p "$tools"
exec 9>"$tools/homeassistant.lock" # two tests may ask at once
flock 9

if [ ! -d "$dir" ]; then
  python=
  wanted=${version%%-*}
  for candidate in "/usr/bin/python$wanted" "$(command -v "python$wanted" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$wanted".*/bin/"python$wanted"; do
    if [ -x "$candidate" ] && "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  if [ -z "$python" ]; then
    say "there is no Python $wanted with venv here; install it (Debian: python$wanted-venv, where its release has it) and run this again"
    exit 3
  fi
  say "installing into $dir (a minute or two):"
  grep -iE '^(homeassistant|paho-mqtt|mcp)==' "$list" | sed 's/^/  /' >&2
  rm -rf "$dir.new"
  "$python" -m venv "$dir.new"
  if ! "$dir.new/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --ignore-requires-python --prefer-binary -r "$list" >&2; then
    rm -rf "$dir.new"
    say "pip could not install it; its own message is above"
    exit 1
  fi
  mv "$dir.new" "$dir"
fi
echo "$dir"
