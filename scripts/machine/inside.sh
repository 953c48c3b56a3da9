#!/usr/bin/env bash
# Runs inside the machine of boot-test, once at each of its two starts, and prints what
# it sees to the serial line: a line for each thing, "saw NAME: what" or "missed NAME:
# what". At the end of the first start it has the machine start again, at the end of the
# second one it switches it off.
set -uo pipefail
export LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin

unit=voice-gateway.service
kept=/var/lib/boot-test # what the second start has to know of the first
secret=/etc/voice-gateway/credentials/mqtt.password

saw() { printf 'saw %s: %s\n' "$1" "$2"; }
missed() { printf 'missed %s: %s\n' "$1" "$2"; }

# check NAME WHAT COMMAND...: whether the command succeeds.
check() {
  local name=$1 what=$2
  shift 2
  if "$@" >/dev/null 2>&1; then saw "$name" "$what"; else missed "$name" "$what"; fi
}

# await SECONDS COMMAND...: until the command succeeds, for that long at most.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 1
  done
}

show() { systemctl show "$unit" --property "$1" --value; }
journal() { journalctl --boot --unit "$unit" --output cat --no-pager "$@"; }
heard() { journal | grep -- "$1" >/dev/null; } # -q would end the pipe early, which is an error here

# ready: systemd calls a service of Type=notify active only when it has said READY=1.
ready() { [ "$(show ActiveState)" = active ]; }
anew() { ready && [ "$(show NRestarts)" = 1 ]; }

# answers NAME SENTENCE REPLY: somebody asks, and the gateway says it.
answers() {
  local said
  replies() { said=$(voice-gateway ask "$1" 2>&1) && grep -q -- "$2" <<<"$said"; }
  if await 120 replies "$2" "$3"; then saw "$1" "“$2” → “$said”"; else missed "$1" "“$2” → “$said”"; fi
}

# processes UNIT: those of a service, with the memory each holds.
processes() {
  local pid
  while read -r pid; do
    printf '  %6d kB  %s\n' "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")" "$(tr '\0' ' ' <"/proc/$pid/cmdline" | cut -c1-80)"
  done <"/sys/fs/cgroup$(systemctl show "$1" --property ControlGroup --value)/cgroup.procs"
}

is_ready() {
  local began=$SECONDS
  await 600 ready
  check "ready $1" "$(show Type), $(show ActiveState), $(show SubState): $(show StatusText)" ready
  printf 'READY was awaited for %d s; the start took %d s\n' "$((SECONDS - began))" \
    "$((($(show ActiveEnterTimestampMonotonic) - $(show InactiveExitTimestampMonotonic)) / 1000000))"
}

# The password is in a file of root's, in the directory that is made for such files; the
# broker lets nobody in without it.
has_credential() {
  local pid directory
  pid=$(show MainPID)
  directory=$(tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^CREDENTIALS_DIRECTORY=//p')
  check "credential loaded" "$(ls "$directory")" test -s "$directory/mqtt.password"
  unreadable() { ! runuser -u voice-gateway -- cat "$secret"; }
  check "credential shut" "the service's user cannot read $secret" unreadable
  refused() { ! mosquitto_sub -h 127.0.0.1 -t voice/+/availability -C 1 -W 5; }
  check "broker shut" "without a password nobody is let in" refused
  online() { mosquitto_sub -h 127.0.0.1 -u house -P "$(cat "$secret")" -t voice/+/availability -C 1 -W 60 | grep -qx online; }
  check "credential used" "the gateway is online at that broker" online
}

# A daemon that is stopped gives no sign of life.
is_watched() {
  local before began=$SECONDS
  before=$(show MainPID)
  kill -STOP "$before"
  await 400 anew
  check "watchdog" "process $before was stopped; after $((SECONDS - began)) s there is process $(show MainPID), READY (WatchdogUSec $(show WatchdogUSec))" anew
  check "watchdog told" "$(journal | grep -i -m 1 'watchdog timeout')" heard 'Watchdog timeout'
  gone() { ! kill -0 "$before"; }
  check "nothing left" "the stopped process is gone" gone
}

# has_others: the MCP servers of others run, in the service beside the gateway.
has_others() {
  local server servers=voice-gateway-servers.service pid
  for server in everything time fetch; do
    connected() { voice-gateway servers | grep -E -- "^ *$server +connected "; }
    if await 600 connected >/dev/null; then
      saw "server $server" "$(connected)"
    else
      missed "server $server" "$(voice-gateway servers | grep -- "^ *$server ")"
      voice-gateway doctor | grep -A 1 -- "server $server"
    fi
  done
  pid=$(pgrep -f -o mcp_server_time)
  check "place of its own" "process $pid: $(ps -o user:24= -p "$pid") in $(systemctl show "$servers" --property ControlGroup --value)" \
    grep -q "$pid" "/sys/fs/cgroup$(systemctl show "$servers" --property ControlGroup --value)/cgroup.procs"
  check "npx keeps a cache" "$(find /var/lib/voice-gateway-servers/.npm -maxdepth 1 -printf '%P ')" test -d /var/lib/voice-gateway-servers/.npm
  as_server() { nsenter -t "$pid" -m setpriv --reuid "$(id -u voice-gateway-servers)" --clear-groups "$@"; }
  unseen() { as_server ls /etc/passwd && ! as_server ls /etc/voice-gateway && ! as_server ls /var/lib/voice-gateway; }
  check "secrets hidden" "they see neither /etc/voice-gateway nor /var/lib/voice-gateway" unseen
  printf 'resident memory of the servers of others:\n'
  processes "$servers"
  systemd-analyze --no-pager security "$servers" | tail -1
}

is_enabled() { check "enabled $1" "$(systemctl is-enabled "$unit")" systemctl --quiet is-enabled "$unit"; }

first() {
  check "systemd" "process 1 is $(cat /proc/1/comm), $(systemctl --version | head -1)" grep -qx systemd /proc/1/comm
  is_enabled "at first"
  is_ready "at first"
  has_credential
  answers "switch" "turn on the kitchen light" "The kitchen light is on."
  printf 'resident memory of the service (cgroup %s bytes):\n' "$(show MemoryCurrent)"
  processes "$unit"
  systemd-analyze --no-pager security "$unit" | tail -1
  has_others
  is_watched
  answers "switch after the watchdog" "turn off the kitchen light" "The kitchen light is off."
  voice-gateway mute on
  cat /proc/sys/kernel/random/boot_id >"$kept"
  systemctl reboot
}

second() {
  local before
  before=$(cat "$kept")
  another() { [ "$before" != "$(cat /proc/sys/kernel/random/boot_id)" ]; }
  check "another start" "of the machine" another
  is_enabled "after a reboot"
  is_ready "after a reboot"
  check "no restart" "$(show NRestarts) restarts" test "$(show NRestarts)" = 0
  muted() { voice-gateway mute | grep -q 'is muted'; }
  check "state kept" "$(voice-gateway mute 2>&1)" muted
  answers "switch after a reboot" "turn on the kitchen light" "The kitchen light is on."
  systemctl stop "$unit"
  check "stop" "$(show ActiveState), $(show Result)" test "$(show ActiveState) $(show Result)" = "inactive success"
  systemctl poweroff
}

if [ -e "$kept" ]; then second; else first; fi
