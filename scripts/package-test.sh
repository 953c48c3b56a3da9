#!/usr/bin/env bash
# Tries the packages in dist, as a person would: judged by lintian, installed in a
# fresh Debian 12, used, updated over a changed configuration, removed, purged; those for
# other architectures are run by an emulator; and a second build, elsewhere and from
# nothing, has to make the same bytes. It needs root, takes minutes, and ends at the
# first thing that is not as it should be.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
export LC_ALL=C.UTF-8

name=voice-gateway
etc=/etc/$name/$name.yaml
native=$(dpkg --print-architecture)
work=$(mktemp -d)
root=$work/debian
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
worktree=$work/elsewhere

say() { printf '\n== %s\n' "$*"; }
die() { printf 'package-test: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "this needs root, for a Debian of its own"
. scripts/machine.sh

# package ARCH: its newest file in dist.
package() { find dist -name "${name}_*_$1.deb" -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2; }

# expect WORDS COMMAND...: the command says the words. It may end with a status, because
# config check and doctor tell by it that a machine has no sound card.
expect() {
  local words=$1 said
  shift
  said=$("$@" 2>&1) || true
  printf '%s\n' "$said" | cut -c1-160 | head -12
  grep -qF -- "$words" <<<"$said" || { printf '%s\n' "$said"; die "it does not say “$words”: $*"; }
}

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=readline chroot "$root" "$@" </dev/null; }
as_service() { inside runuser -u "$name" -- "$@"; }

# list_tools is what a host says to see the tools of a server.
list_tools='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"package-test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}'

# tools COMMAND...: the names of the tools that the server of a house offers over stdio.
tools() {
  local said=$work/tools line
  coproc SERVER { exec "$@" 2>"$work/tools.log"; }
  printf '%s\n' "$list_tools" >&"${SERVER[1]}"
  : >"$said"
  while IFS= read -r -t 60 line <&"${SERVER[0]}"; do
    printf '%s\n' "$line" >>"$said"
    case $line in *'"id":2'*) break ;; esac
  done
  kill "$SERVER_PID" 2>/dev/null || true
  wait "$SERVER_PID" 2>/dev/null || true
  grep -oE '"name":"[a-z_]*(zwave|homeassistant)[a-z_]*"' "$said" | sort -u
}

# held prints what each process in that Debian holds, and the sum, in kilobytes: what it
# has in memory, and its share of that where others have the same.
held() {
  local process pid
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    [ "$(readlink "$process/root")" = "$root" ] || continue
    printf '%s %s %s\n' "$(awk '/^Rss/ { print $2 }' "$process/smaps_rollup")" "$(awk '/^Pss:/ { print $2 }' "$process/smaps_rollup")" \
      "$(tr '\0' ' ' <"$process/cmdline" | cut -c1-60)"
  done | awk '$3 ~ /(voice-gateway|zwave-mcp-server)$/ { n++; held += $1; share += $2; printf "%8d kB resident, share %7d kB  %s\n", $1, $2, substr($0, length($1 $2) + 3) }
      END { printf "%8d kB resident, share %7d kB  in all, %d processes\n", held, share, n }'
}

# running starts the service's program as systemd would, in a network of its own, waits
# until it has its server, and prints what it holds.
running() {
  local log=$work/service.log daemon end=$((SECONDS + 180))
  unshare --net --pid --fork --kill-child sh -c 'ip link set lo up && exec chroot "$0" "$@"' "$root" \
    runuser -u "$name" -- env STATE_DIRECTORY=/var/lib/$name GOMEMLIMIT=256MiB /usr/bin/$name run --config "$etc" >"$log" 2>&1 &
  daemon=$!
  until grep -q 'overall=full' "$log"; do
    kill -0 "$daemon" 2>/dev/null && [ "$SECONDS" -lt "$end" ] || { cat "$log"; kill -KILL "$daemon" 2>/dev/null; die "the service has no server"; }
    sleep 1
  done
  held
  kill -KILL "$daemon" # which takes all in there with it
  wait "$daemon" || true
}

# update VERSION: the package as a later version with another configuration would be.
update() {
  local tree=$work/update-$1
  dpkg-deb -R "$(package "$native")" "$tree"
  sed -i "s/^Version: .*/Version: $1/" "$tree/DEBIAN/control"
  printf '\n# A line of version %s.\n' "$1" >>"$tree/usr/share/$name/$name.yaml"
  dpkg-deb --root-owner-group -Zgzip --build "$tree" "$root/root/$1.deb" >/dev/null
}

say "lintian"
for arch in amd64 arm64 armhf; do
  deb=$(package "$arch")
  [ -n "$deb" ] || continue
  lintian --allow-root --fail-on error,warning "$deb" || die "lintian is not content with $deb"
  lintian --allow-root --fail-on none --show-overrides "$deb"
done

say "a fresh Debian 12"
fresh_debian "$root"
mount -t proc proc "$root/proc"
cp "$(package "$native")" "$root/root/first.deb"

say "install"
inside apt-get -qq update
inside apt-get -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 install /root/first.deb 2>&1 | tail -4
inside getent passwd "$name" "$name-servers"
expect "(audio)" inside id "$name"
inside stat -c '%A %U:%G %n' "$etc" /etc/$name/credentials /var/lib/$name /var/lib/$name/models
expect "voice-gateway" inside voice-gateway --version
expect "✓ $etc and the environment are valid" as_service voice-gateway config check
inside sh -c 'ls /usr/share/man/man1/voice-gateway*.1.gz /usr/share/man/man5/voice-gateway.5.gz | wc -l'

inside test -f /usr/share/doc/$name/examples/mosquitto-acl.conf

say "doctor names what is missing, and the command that mends it"
expect "voice-gateway models pull" as_service voice-gateway doctor

say "exposure of the units, by systemd's own judgement: 1.5 at most"
for unit in "$name.service" "$name-servers.service"; do
  systemd-analyze security --offline=true --no-pager --root="$root" --threshold=15 "$unit" >"$work/exposure" || { cat "$work/exposure"; die "$unit is too exposed"; }
  tail -1 "$work/exposure"
done

say "memory of the running service, without models and sound card; the unit allows 512 MiB"
running | tee "$work/held"
awk '/in all/ { exit !($1 > 0 && $1 < 512 * 1024) }' "$work/held" || die "it holds more than the unit allows"

say "match"
printf '%s\n' '{"text":"turn on the kitchen light"}' '{"text":"what time is it"}' >"$root/root/said"
expect '"HassGetCurrentTime"' inside sh -c 'voice-gateway match < /root/said'

# offers TOOL COMMAND...: a server of a house offers a tool.
offers() {
  tools "${@:2}" | tee "$work/offered"
  grep -q "\"$1\"" "$work/offered" || { cat "$work/tools.log"; die "it does not offer $1: ${*:2}"; }
}

say "the servers of houses over stdio, with their manual pages and settings"
offers control_zwave_device chroot "$root" runuser -u "$name" -- zwave-mcp-server
# Home Assistant is not there; the server says so when a tool is called.
offers control_homeassistant_device chroot "$root" runuser -u "$name" -- env HASS_TOKEN=none home-assistant-mcp-server
for server in zwave-mcp-server home-assistant-mcp-server; do
  inside test -s "/usr/share/man/man1/$server.1.gz"
  inside test -s "/usr/share/doc/$name/examples/$server.yaml"
done

say "an update of an unchanged configuration brings the new one"
update 1:1
inside dpkg -i /root/1:1.deb 2>&1 | tail -3
inside cmp "$etc" /usr/share/$name/$name.yaml
inside test ! -e "$etc.dpkg-dist"

say "a service that was taken over gains nothing by an update"
# others tells owner, mode and content of what belongs to others in there.
others() { inside find /srv/others -type d -printf '%p %U:%G %m\n' -o -printf '%p %U:%G %m ' -exec cksum {} \; ; }
inside sh -c 'mkdir -p /srv/others/models /srv/others/recordings && printf theirs >/srv/others/.owner && printf theirs >/srv/others/models/theirs'
before=$(others)
as_service sh -c "cd /var/lib/$name && rm -rf models recordings .owner && ln -s /srv/others/models /srv/others/recordings /srv/others/.owner ."
update 1:1.1
inside dpkg -i /root/1:1.1.deb >"$work/update.log" 2>&1 || { cat "$work/update.log"; die "the update failed"; }
inside dpkg -i /root/1:1.1.deb >"$work/update.log" 2>&1 || { cat "$work/update.log"; die "the same update again failed"; }
others
[ "$before" = "$(others)" ] || die "what belongs to others is not as it was: $before"
expect "so it is not followed" inside voice-gateway models pull
[ "$before" = "$(others)" ] || die "what belongs to others is not as it was: $before"
as_service sh -c "cd /var/lib/$name && rm models recordings .owner"
update 1:1.2
inside dpkg -i /root/1:1.2.deb 2>&1 | tail -1
inside stat -c '%A %U:%G %n' /var/lib/$name /var/lib/$name/models

say "an update of a changed configuration keeps it, and asks nothing"
as_root_set() { inside voice-gateway --config "$etc" config set "$1" "$2"; }
as_root_set gateway.area kitchen
printf 'secret' >"$root/etc/$name/credentials/mqtt.password"
before=$(sha256sum "$root$etc")
update 1:2
inside dpkg -i /root/1:2.deb >"$work/update.log" 2>&1 || { cat "$work/update.log"; die "the update failed"; }
cat "$work/update.log"
[ "$before" = "$(sha256sum "$root$etc")" ] || die "the configuration is another"
grep -n "area: kitchen" "$root$etc"
inside cmp "$etc.dpkg-dist" /usr/share/$name/$name.yaml
if grep -qiE 'what would you like|Y or I|keep your' "$work/update.log"; then die "it asked"; fi

say "the same again: it never asks twice either"
update 1:3
inside dpkg -i /root/1:3.deb 2>&1 | tail -2
[ "$before" = "$(sha256sum "$root$etc")" ] || die "the configuration is another"

say "a configuration that was taken away stays away"
mv "$root$etc" "$root/root/kept.yaml"
update 1:4
inside dpkg -i /root/1:4.deb 2>&1 | tail -1
inside test ! -e "$etc"
mv "$root/root/kept.yaml" "$root$etc"

say "remove keeps what is the owner's"
inside dpkg -r "$name"
inside test ! -e /usr/bin/voice-gateway
[ "$before" = "$(sha256sum "$root$etc")" ] || die "the configuration is another"
inside test -e /etc/$name/credentials/mqtt.password

say "installed again, it is as it was"
inside dpkg -i /root/1:4.deb 2>&1 | tail -1
[ "$before" = "$(sha256sum "$root$etc")" ] || die "the configuration is another"

say "purge takes all"
inside dpkg -P "$name"
left=$(find "$root"/etc "$root"/usr "$root"/var/lib -path "$root/var/lib/apt" -prune -o -name "*$name*" -print)
[ -z "$left" ] || die "left behind: $left"
for user in "$name" "$name-servers"; do
  if inside getent passwd "$user"; then die "the user $user is still there"; fi
done
echo "nothing is left"

for other in "arm64 aarch64" "armhf arm"; do
  read -r arch emulated <<<"$other"
  deb=$(package "$arch")
  [ -n "$deb" ] && [ "$arch" != "$native" ] || continue
  say "$arch, run by qemu-$emulated-static"
  its=$work/$arch
  dpkg-deb -x "$deb" "$its"
  run=("qemu-$emulated-static" -L ".tools/sysroot-$arch")
  "${run[@]}" "$its/usr/bin/voice-gateway" --version
  expect "are valid" "${run[@]}" "$its/usr/bin/voice-gateway" config check --config "$its/usr/share/$name/$name.yaml"
  expect '"HassGetCurrentTime"' sh -c '"$@" match <"$0"' "$root/root/said" "${run[@]}" "$its/usr/bin/voice-gateway"
  offers control_zwave_device "${run[@]}" "$its/usr/bin/zwave-mcp-server"
  offers control_homeassistant_device env HASS_TOKEN=none "${run[@]}" "$its/usr/bin/home-assistant-mcp-server"
done

say "the same bytes, built elsewhere and from nothing"
git clone -q --no-hardlinks . "$worktree"
git -C "$worktree" checkout -q --detach "$(git rev-parse HEAD)"
mkdir -p "$worktree/.tools"
if [ -z "$(git status --porcelain --untracked-files=no)" ]; then
  (cd "$worktree" && GOCACHE=$work/cache GOFLAGS=-modcacherw scripts/package.sh "$native" >/dev/null 2>&1)
  first=$(package "$native")
  second=$worktree/dist/$(basename "$first")
  printf 'first   %s\nsecond  %s\n' "$(sha256sum <"$first")" "$(sha256sum <"$second")"
  cmp "$first" "$second" || die "the second build has other bytes"
else
  die "there are changes that no commit holds: commit them, so that the second build has them too"
fi
rm -rf "$worktree" "$work/cache"

say "sizes"
stat -c '%s bytes  %n' dist/*.deb
say "all is as it should be"
