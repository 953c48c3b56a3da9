#!/usr/bin/env bash
# Installs what is in bin as a service of this machine, or takes it away again:
# install.sh install|uninstall. It can be run again and again; a configuration
# that is there is never overwritten. With DESTDIR it only lays out the files, for
# a package.
#
#   PREFIX   where the programs go (/usr/local)
#   DESTDIR  a directory that stands for the root of the machine
#   BIN      where the programs are (bin)
#   PROFILE  the configuration to begin with: voice-gateway, offline, local-ai, cloud;
#            the next installation takes the same if none is named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PREFIX=${PREFIX:-/usr/local}
DESTDIR=${DESTDIR:-}
BIN=${BIN:-bin}
name=voice-gateway
programs=(voice-gateway zwave-mcp-server home-assistant-mcp-server)
bindir=$PREFIX/bin
etc=/etc/$name
kept_profile=$DESTDIR$etc/profile
before=voice-gateway # the profile of the installation before this one
[ ! -f "$kept_profile" ] || before=$(cat "$kept_profile")
PROFILE=${PROFILE:-$before}
state=/var/lib/$name
servers=$name-servers # the user and the service of the MCP servers of others
units=("$name.service" "$servers.service" "$servers.socket")
unitdir=/etc/systemd/system
[ "$PREFIX" = /usr ] && unitdir=/usr/lib/systemd/system

say() { printf '%s\n' "$*"; }
die() { printf 'install: %s\n' "$*" >&2; exit 1; }

live() { [ -z "$DESTDIR" ]; }
# systemd: is this machine run by it?
systemd() { live && [ -d /run/systemd/system ]; }

if live && [ "$(id -u)" -ne 0 ]; then
  die "this needs root: sudo make ${1:-install} (or DESTDIR=… to lay out the files elsewhere)"
fi

# same FILE PLACE: is that in the place already, as a file of its own?
same() { [ -f "$DESTDIR$2" ] && [ ! -L "$DESTDIR$2" ] && cmp -s "$1" "$DESTDIR$2"; }

# put MODE FILE PLACE: as a new file over what was there, which may be running, or be a
# link, which is not followed.
put() {
  if same "$2" "$3"; then
    chmod "$1" "$DESTDIR$3"
    return
  fi
  rm -f "$DESTDIR$3.tmp"
  install -D -T -m "$1" "$2" "$DESTDIR$3.tmp"
  mv -f -T "$DESTDIR$3.tmp" "$DESTDIR$3"
  say "installed  $3"
}

make_users() {
  local user
  for user in "$name" "$servers"; do
    if ! getent passwd "$user" >/dev/null; then
      useradd --system --user-group --home-dir "/var/lib/$user" --no-create-home --shell /usr/sbin/nologin "$user"
      say "made       user $user"
    fi
  done
  if getent group audio >/dev/null; then
    usermod -a -G audio "$name"
  else
    say "missing    group audio: who may use the sound card? Add $name to that group."
  fi
}

# directory MODE OWNER PLACE. Root alone may write where it stands, so nobody exchanges
# it meanwhile. A link or anything else in its place stays as it is, and what it leads to.
directory() {
  local place=$DESTDIR$3
  if [ ! -e "$place" ] && [ ! -L "$place" ]; then
    [ -d "${place%/*}" ] || install -d "${place%/*}" # what is there keeps its rights
    mkdir -m 0700 "$place"
  elif [ -L "$place" ] || [ ! -d "$place" ]; then
    say "kept       $3, which is not a directory, as it is; move it away, and install again"
    return
  fi
  if live; then chown -h "$2" "$place"; fi
  chmod "$1" "$place"
}

# models_directory makes the directory of the models. The service may exchange everything
# in its state, so root does nothing in there: it is made with the rights of the service.
models_directory() {
  if ! live; then
    directory 0750 "$name:$name" "$state/models"
  elif ! setpriv --reuid "$name" --regid "$name" --init-groups mkdir -p -m 0750 "$state/models"; then
    say "missing    $state/models; move away what is in its place, and install again"
  fi
}

configure() {
  local from=configs/$PROFILE.yaml place=$etc/$name.yaml
  [ -f "$from" ] || die "there is no profile $PROFILE; there are: voice-gateway, offline, local-ai, cloud"
  if [ ! -e "$DESTDIR$place" ] && [ ! -L "$DESTDIR$place" ]; then
    put 0644 "$from" "$place"
  elif [ -f "$DESTDIR$place" ] && cmp -s "$from" "$DESTDIR$place"; then
    rm -f "$DESTDIR$place.new"
  else
    put 0644 "$from" "$place.new"
    say "kept       $place as it is; the one that comes with this version is beside it"
  fi
}

do_install() {
  local p
  for p in "${programs[@]}"; do
    [ -x "$BIN/$p" ] || die "$BIN/$p is missing; build first, as yourself: make build"
  done
  [ -f "configs/$PROFILE.yaml" ] || die "there is no profile $PROFILE; there are: voice-gateway, offline, local-ai, cloud"
  for p in "${programs[@]}"; do put 0755 "$BIN/$p" "$bindir/$p"; done
  if live; then make_users; fi
  directory 0755 root:root "$etc"
  directory 0750 "root:$name" "$etc/credentials"
  directory 0750 "$name:$name" "$state"
  models_directory
  configure
  local text other
  if [ "$PROFILE" != "$before" ]; then
    text=$(mktemp)
    printf '%s\n' "$PROFILE" >"$text"
    put 0644 "$text" "$etc/profile" >/dev/null
    rm -f "$text"
  fi
  local unit
  for unit in "${units[@]}"; do
    # A unit of ours in the other place would win, or lose, unseen.
    for other in /etc/systemd/system/$unit /usr/lib/systemd/system/$unit; do
      if [ "$other" != "$unitdir/$unit" ] && [ -e "$DESTDIR$other" ]; then
        rm -f "$DESTDIR$other"
        say "removed    $other, of an installation with another PREFIX"
      fi
    done
    text=$(mktemp)
    sed "s|/usr/local/bin/|$bindir/|" "configs/$unit" >"$text"
    put 0644 "$text" "$unitdir/$unit"
    rm -f "$text"
  done
  if systemd; then
    systemctl daemon-reload
    systemctl enable --quiet "$name"
    say "enabled    $name, from the next start of the machine on"
  fi
  live || return 0
  say ""
  say "Next:"
  say "  1. $etc/$name.yaml: area, microphone, broker; then: voice-gateway config check"
  say "  2. the models of wake word, stop word, voice and recogniser (needs python3-pip-whl): runuser -u $name -- $bindir/voice-gateway models pull"
  if systemd; then
    say "  3. systemctl restart $name; systemctl status $name; journalctl -u $name"
  else
    say "  3. this machine is not run by systemd: runuser -u $name -- $bindir/voice-gateway run --config $etc/$name.yaml"
  fi
}

do_uninstall() {
  local p
  if [ ! -e "$DESTDIR$unitdir/$name.service" ] && [ ! -e "$DESTDIR$bindir/$name" ]; then
    say "missing    there is nothing of it below $PREFIX; was it installed with another PREFIX?"
  fi
  if systemd && [ -e "$unitdir/$name.service" ]; then
    systemctl disable --now --quiet "$name" || true
    systemctl stop "$servers.socket" "$servers.service" || true
  fi
  for p in "${programs[@]}"; do
    p=$DESTDIR$bindir/$p
    [ ! -e "$p" ] || { rm -f "$p"; say "removed    ${p#"$DESTDIR"}"; }
  done
  local unit
  for unit in "${units[@]}"; do
    unit=$unitdir/$unit
    [ ! -e "$DESTDIR$unit" ] || { rm -f "$DESTDIR$unit"; say "removed    $unit"; }
  done
  if systemd; then systemctl daemon-reload; fi
  local dirs=("$etc" "$state") user
  [ ! -d "$DESTDIR/var/lib/$servers" ] || dirs+=("/var/lib/$servers")
  say "kept       ${dirs[*]}; without them: rm -r ${dirs[*]}"
  for user in "$name" "$servers"; do
    if live && getent passwd "$user" >/dev/null; then
      say "kept       user $user; without it: userdel $user"
    fi
  done
}

case ${1:-} in
install) do_install ;;
uninstall) do_uninstall ;;
*) die "expected install or uninstall" ;;
esac
