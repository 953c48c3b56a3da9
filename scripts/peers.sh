#!/usr/bin/env bash
# Installs the programs of others that ours is tested against or compared with,
# and prints the directory they are in. A set is a directory beside this script
# with a package.json and the lock file that pins everything below it:
#
#   peers      the MCP conformance suite and a reference MCP server
#   langchain  LangChain's MCP client, for the comparison
#   axe        the rules of accessibility that the page is held to
#   inspector  the command line of the MCP inspector
#
# Everything goes into .tools, which git ignores; a set that is there already is
# left alone. A set of programs brings the node that runs them, because the
# suite needs a newer one than distributions have. Usage: scripts/peers.sh SET
set -euo pipefail

say() { printf 'peers: %s\n' "$*" >&2; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
set=${1:-}
if [ -z "$set" ] || [ ! -f "$here/$set/package-lock.json" ]; then
  say "expected the name of a set: peers, langchain, axe or inspector"
  exit 2
fi

# Another lock file is another directory, so that a change is never half done.
sum=$(sha256sum "$here/$set/package-lock.json" | cut -c1-12)
tools=$(dirname "$here")/.tools
dir=$tools/$set-$sum
mkdir -p "$tools"
exec 9>"$tools/$set.lock" # two tests may ask at once
flock 9

if [ ! -d "$dir" ]; then
  if ! command -v npm >/dev/null; then
    if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
      say "npm is missing; install Node.js with npm (Debian: apt-get install npm) and run this again"
      exit 1
    fi
    say "installing npm with apt: it fetches what the comparison and the conformance tests run"
    apt-get update -qq || say "the package lists could not be renewed; trying with those that are here"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 npm >&2
  fi
  say "installing into $dir:"
  sed -n 's/^ *"\(@\{0,1\}[a-z][^"]*\)": "\([0-9][^"]*\)".*/  \1 \2/p' "$here/$set/package.json" >&2
  rm -rf "$dir.new"
  mkdir "$dir.new"
  cp "$here/$set/package.json" "$here/$set/package-lock.json" "$dir.new/"
  # No install scripts: what is installed is what the lock file has sums of.
  if ! (cd "$dir.new" && npm ci --ignore-scripts --no-audit --no-fund --loglevel error >&2); then
    rm -rf "$dir.new"
    say "npm could not install them; its own message is above"
    exit 1
  fi
  [ ! -d "$dir.new/node_modules/.bin" ] || ln -s "../node-linux-$(case "$(uname -m)" in aarch64) echo arm64 ;; *) echo x64 ;; esac)/bin/node" "$dir.new/node_modules/.bin/peer-node"
  mv "$dir.new" "$dir"
fi
cp "$here/$set/"*.mjs "$dir/" 2>/dev/null || true
echo "$dir"
