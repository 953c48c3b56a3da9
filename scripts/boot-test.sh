#!/usr/bin/env bash
# Starts a machine with the package in it, and looks on: a fresh Debian 12 with its own
# kernel and systemd as the first process, in qemu, which needs no virtual machine of
# this one (with ACCEL=kvm it uses it). Seen from inside are readiness, a secret as a
# credential, MCP servers of others, the watchdog over a stopped daemon, and a second
# start of the machine. It needs root, takes about a quarter of an hour on an idle
# machine, and fails if anything is not seen.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
export LC_ALL=C.UTF-8

name=voice-gateway
limit=2700 # seconds for the machine, from its start to its end
work=$(mktemp -d /var/tmp/boot-test.XXXXXX)
root=$work/debian
trap 'rm -rf --one-file-system "$work"' EXIT

say() { printf '\n== %s\n' "$*"; }
die() { printf 'boot-test: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "this needs root, for a Debian of its own"
. scripts/machine.sh

# What has to be seen, in this order.
wanted=("systemd" "enabled at first" "ready at first" "credential loaded" "credential shut" "broker shut" "credential used" "switch"
  "server everything" "server time" "server fetch" "place of its own" "npx keeps a cache" "secrets hidden"
  "watchdog" "watchdog told" "nothing left" "switch after the watchdog"
  "another start" "enabled after a reboot" "ready after a reboot" "no restart" "state kept" "switch after a reboot" "stop")

# furnish lays out what an owner would: a broker with a password, which the gateway gets
# as a credential, and a simulated house.
furnish() {
  local password=not-a-secret
  put 0644 "$root/etc/mosquitto/conf.d/house.conf" <<<$'listener 1883 127.0.0.1\nallow_anonymous false\npassword_file /etc/mosquitto/passwords'
  printf 'house:%s\n' "$password" | put 0640 "$root/etc/mosquitto/passwords"
  within "$root" sh -c 'mosquitto_passwd -U /etc/mosquitto/passwords && chown root:mosquitto /etc/mosquitto/passwords'
  printf '%s\n' "$password" | put 0600 "$root/etc/$name/credentials/mqtt.password"
  others
  local key value
  while read -r key value; do
    within "$root" voice-gateway --config /etc/$name/$name.yaml config set "$key" "$value"
  done <<E2
mqtt.broker mqtt://127.0.0.1:1883
mqtt.username house
mcp.servers.everything {command: npx, args: [--offline, mcp-server-everything], cwd: /opt/peers, connect_timeout: 600s}
mcp.servers.time {command: python3, args: [-m, mcp_server_time], env: {PYTHONPATH: /opt/servers}, connect_timeout: 600s}
mcp.servers.fetch {command: python3, args: [-m, mcp_server_fetch], env: {PYTHONPATH: /opt/servers}, connect_timeout: 600s}
E2
  put 0644 "$root/etc/systemd/system/$name.service.d/boot-test.conf" <<E2
[Service]
LoadCredential=mqtt.password:/etc/$name/credentials/mqtt.password
# An emulated machine is ten to thirty times slower. The watchdog's time stays.
TimeoutStartSec=600
E2
  put 0644 "$root/etc/systemd/system/simulated-house.service" <<E2
[Unit]
Description=A simulated house
After=mosquitto.service
[Service]
Environment=MQTT_USERNAME=house MQTT_PASSWORD=$password
ExecStart=/usr/bin/zwave-mcp-server simulate --broker mqtt://127.0.0.1:1883
Restart=on-failure
[Install]
WantedBy=multi-user.target
E2
  put 0755 "$root/usr/lib/boot-test/inside.sh" <scripts/machine/inside.sh
  put 0644 "$root/etc/systemd/system/inside.service" <scripts/machine/inside.service
  within "$root" systemctl enable --quiet simulated-house.service inside.service
}

# others installs MCP servers of others: one for Node.js, with npx, and two in Python.
others() {
  local peers npm
  peers=$(scripts/peers.sh peers)
  npm=$(npm root -g)/npm
  mkdir -p "$root/opt/peers" "$root/opt/npm"
  tar -C "$peers" --exclude=node-linux-* --exclude=conformance* -c . | tar -C "$root/opt/peers" -x
  cp -rL "$npm/." "$root/opt/npm"
  install -m 0755 "$peers/node_modules/.bin/peer-node" "$root/usr/local/bin/node"
  ln -s /opt/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  python3 -m pip install --quiet --no-deps --target "$root/opt/servers" --python-version 3.11 --only-binary=:all: -r scripts/machine/servers.txt 2>&1 |
    grep -v '^WARNING: Running pip as' || true
}

deb=$(find dist -name "${name}_*_amd64.deb" -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2)
[ -n "$deb" ] || die "there is no package for amd64 in dist; make it: make package"

say "a fresh Debian 12 with a kernel, and $(basename "$deb")"
fresh_debian "$root" systemd-sysv dbus udev kmod initramfs-tools linux-image-amd64 mosquitto mosquitto-clients procps python3
install_package "$root" "$deb"
furnish

say "started, stopped by a signal, started again (drop-in: TimeoutStartSec=600; WatchdogSec as shipped)"
status=0
boot "$root" "$limit" | tee "$work/seen" || status=$?
[ "$status" -eq 0 ] || { tail -40 "$work/console"; cat "$work/qemu.log"; die "the machine did not come to its end in $limit s (status $status)"; }

say "what was seen"
unseen=0
for thing in "${wanted[@]}"; do
  line=$(grep -m 1 "^saw $thing: " "$work/seen" || true)
  if [ -n "$line" ]; then
    printf '✓ %-26s %s\n' "$thing" "${line#"saw $thing: "}"
  else
    line=$(grep -m 1 "^missed $thing: " "$work/seen" || true)
    printf '✗ %-26s %s\n' "$thing" "${line#"missed $thing: "}"
    unseen=$((unseen + 1))
  fi
done
[ "$unseen" -eq 0 ] || die "$unseen of ${#wanted[@]} were not seen"
say "all ${#wanted[@]} were seen"
