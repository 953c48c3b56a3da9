#!/usr/bin/env bash
# Moves in as a newcomer does, by what README says, and prints a log of it: the commands,
# how long each took, and what was downloaded; once from the source, once with the
# package. In a fresh Debian 12 an ordinary user who may use sudo gets to a lamp that has
# told that it is on. The house is a simulated one behind a broker on the same machine.
# The network is one of its own, so that nothing of this machine is used by mistake and
# every byte is counted. With the package it is done a second time in a house behind a real
# Home Assistant with its demo integration. It needs root and the internet, and fails if a
# command fails or the lamp is not on. newcomer-test.sh source|package|homeassistant takes
# one way alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
export LC_ALL=C.UTF-8

work=$(mktemp -d /var/tmp/newcomer-test.XXXXXX)
running=() # processes of ours
leave() {
  local process
  for process in "${running[@]}"; do kill -KILL "$process" 2>/dev/null || true; done
  { wait || true; } 2>/dev/null # the shell would tell each of them as killed
  running=()
}
finish() {
  leave
  rm -rf --one-file-system "$work"
}
trap finish EXIT

say() { printf '\n== %s\n' "$*"; }
die() { printf 'newcomer-test: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "this needs root, for a Debian of its own"
. scripts/machine.sh

# isolate makes a network and a list of processes of their own; all in it ends with it.
isolate() {
  unshare --net --pid --fork --kill-child sleep infinity &
  running+=("$!")
  until place=$(pgrep -P "${running[0]}"); do
    kill -0 "${running[0]}" 2>/dev/null || die "there is no network of its own: unshare was refused"
    sleep 0.1
  done
  mkfifo "$work/reachable"
  slirp4netns --configure --mtu=65520 --disable-host-loopback --ready-fd=9 "$place" tap0 9>"$work/reachable" >"$work/network.log" 2>&1 &
  running+=("$!")
  read -r -n 1 _ <"$work/reachable" || die "there is no network: $(cat "$work/network.log")"
  nsenter -t "$place" -n ip link set lo up
  printf 'nameserver 10.0.2.3\n' >"$root/etc/resolv.conf"
}

# there COMMAND...: a command of this machine in that network.
there() { nsenter -t "$place" -n -p -- "$@"; }

# as_newcomer LINE: typed by an ordinary user, in the checkout once it is there.
as_newcomer() {
  export -f within
  there bash -c 'within "$@"' within "$root" runuser -l newcomer -c "cd voice-gateway 2>/dev/null; $1"
}

downloaded() { sed -n 's/^ *tap0: *\([0-9]*\).*/\1/p' "/proc/$place/net/dev"; }

# step LINE: one command of the newcomer, into the log.
step() {
  local line=$1 began=$SECONDS before
  before=$(downloaded)
  printf '\n$ %s\n' "$line"
  as_newcomer "$line" >"$work/said" 2>&1 || { tail -60 "$work/said"; die "this failed: $line"; }
  tail -25 "$work/said" | cut -c1-200
  taken "$began" "$before" "$line"
}

# taken BEGAN BEFORE LINE: notes a command, with what it took since and what was loaded.
taken() { steps+=("$(printf '%4d s  %7.1f MB  %s' $((SECONDS - $1)) "$((($(downloaded) - $2) / 100000))e-1" "$3")"); }

# house: a broker and a simulated house behind it.
house() {
  printf 'listener 1883 127.0.0.1\nallow_anonymous true\n' >"$work/broker.conf"
  CGO_ENABLED=0 go build -buildvcs=false -o "$work/zwave-mcp-server" ./cmd/zwave-mcp-server
  there mosquitto -c "$work/broker.conf" >"$work/broker.log" 2>&1 &
  running+=("$!")
  there "$work/zwave-mcp-server" simulate --broker mqtt://127.0.0.1:1883 >"$work/house.log" 2>&1 &
  running+=("$!")
}

# family: a Home Assistant that a family has already set up, and the token that its user has
# made for the gateway.
family() {
  local python
  python=$(scripts/homeassistant.sh 3.13)/bin/python
  "$python" scripts/homeassistant/family.py "$work/family" | put 0644 "$root/home/newcomer/token"
  there "$python" -m homeassistant -c "$work/family" --skip-pip >"$work/family.log" 2>&1 &
  running+=("$!")
  until there wget -q -O /dev/null --header "Authorization: Bearer $(cat "$root/home/newcomer/token")" http://127.0.0.1:8123/api/states/light.bed_light 2>/dev/null; do
    kill -0 "${running[-1]}" 2>/dev/null || { tail -30 "$work/family.log"; die "Home Assistant did not start"; }
    sleep 1
  done
}

# arrive NAME PACKAGE...: a fresh Debian with these packages, a newcomer in it, and a
# network.
arrive() {
  root=$work/$1
  shift
  fresh_debian "$root" sudo "$@"
  # A network that looks into what passes has a certificate of its own, which this machine knows.
  find /usr/local/share/ca-certificates -name '*.crt' -exec install -D -t "$root/usr/local/share/ca-certificates" {} +
  within "$root" update-ca-certificates >/dev/null 2>&1
  printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$root/etc/hosts" # sudo looks its name up
  within "$root" useradd --create-home --shell /bin/bash newcomer
  printf 'newcomer ALL=(ALL) NOPASSWD: ALL\n' | put 0440 "$root/etc/sudoers.d/newcomer"
  steps=()
  rm -f "$work/reachable"
  isolate
}

# serve NAME LINE: starts what goes on running, and waits until it serves.
serve() {
  local log=$work/$1.log began=$SECONDS
  as_newcomer "$2" >"$log" 2>&1 &
  running+=("$!")
  until grep -q 'msg="the HTTP server is ready"' "$log"; do
    kill -0 "${running[-1]}" 2>/dev/null && [ $((SECONDS - began)) -lt 300 ] || { tail -30 "$log"; die "the gateway did not start"; }
    sleep 1
  done
}

# lit PROGRAM LAMP is the last command: the lamp itself has told that it is on.
lit() {
  step "$1ask \"turn on the $2\""
  grep -qx "The $2 is on." "$work/said" || die "the lamp is not on"
  as_newcomer "$1why" >"$work/why"
  grep 'confirmed by the device' "$work/why" || die "the lamp has not told that it is on"
}

# summary is the log; what a person waits for between two commands is not in it.
summary() {
  say "the newcomer's log, $1"
  printf '%s\n' "${steps[@]}"
  printf '%s\n' "${steps[@]}" |
    awk '{ seconds += $1; bytes += $3 } END { printf "%d commands, %d min %d s, %.1f MB downloaded\n", NR, seconds / 60, seconds % 60, bytes }'
  leave
}

from_source() {
  say "a fresh Debian 12, with git, make and sudo"
  arrive source git make
  house
  git clone -q --bare --no-hardlinks . "$root/srv/voice-gateway.git"
  git -C "$root/srv/voice-gateway.git" update-ref refs/heads/here "$(git rev-parse HEAD)"
  git -C "$root/srv/voice-gateway.git" symbolic-ref HEAD refs/heads/here
  within "$root" chown -R newcomer: /srv/voice-gateway.git
  step "git clone -q /srv/voice-gateway.git voice-gateway"
  step "make setup build"
  step "bin/voice-gateway setup --yes"
  printf '\n$ make run   # in another terminal\n'
  local began=$SECONDS before
  before=$(downloaded)
  serve run "exec make run"
  taken "$began" "$before" "make run, in another terminal"
  lit bin/voice-gateway\  "kitchen light"
  summary "from the source"
}

# There is no systemd in this Debian, so the service is started here with what its unit
# says; boot-test shows that systemd does it.
from_package() {
  with_package package house "voice-gateway setup --yes" "kitchen light"
}

# The address of Home Assistant and its token are what a person has to give.
homeassistant() {
  with_package homeassistant family \
    "voice-gateway setup --yes --house homeassistant --hass-url http://127.0.0.1:8123 --hass-token-file token" "bed light"
}

# with_package NAME HOUSE SETUP LAMP: what is typed for the one house or the other.
with_package() {
  say "a fresh Debian 12, with sudo, and $(basename "$deb")"
  arrive "$1"
  "$2"
  install -m 0644 "$deb" "$root/home/newcomer/voice-gateway.deb"
  step "sudo apt-get -qq update"
  step "sudo DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Dpkg::Use-Pty=0 install ./voice-gateway.deb"
  step "sudo $3"
  serve service "exec sudo runuser -u voice-gateway -- env STATE_DIRECTORY=/var/lib/voice-gateway voice-gateway run --config /etc/voice-gateway/voice-gateway.yaml"
  lit voice-gateway\  "$4"
  summary "with the package, $1"
  [ "${#steps[@]}" -le 4 ] || die "these are more than four commands"
}

ways=("$@")
[ ${#ways[@]} -gt 0 ] || ways=(package homeassistant source)
deb=$(find dist -name "voice-gateway_*_$(dpkg --print-architecture).deb" -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2)
for way in "${ways[@]}"; do
  case $way in
  source) from_source ;;
  package | homeassistant)
    [ -n "$deb" ] || die "there is no package for this machine in dist; make it: make package"
    if [ "$way" = package ]; then from_package; else homeassistant; fi
    ;;
  *) die "expected source, package or homeassistant" ;;
  esac
done
