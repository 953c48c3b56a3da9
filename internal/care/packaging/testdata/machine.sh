# A machine to break: what is written below /etc, /usr and /var is held in memory and is
# gone with this process, as if this machine had been copied. It begins a script that
# bash runs as root, in a mount namespace of its own.
set -euo pipefail
umask 022
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin

mount -t tmpfs -o mode=0755 memory /mnt
for dir in etc usr var; do
  mkdir -p /mnt/$dir /mnt/.work-$dir
  mount -t overlay -o "lowerdir=/$dir,upperdir=/mnt/$dir,workdir=/mnt/.work-$dir" overlay /$dir
done
mount -t tmpfs -o mode=0755 memory /run # no service manager is seen, so none is told anything

name=voice-gateway
state=/var/lib/$name
etc=/etc/$name
rm -rf "$state" "$etc" "/usr/share/$name" "/usr/lib/systemd/system/$name.service" "/etc/systemd/system/$name.service"

# tell: owner, mode, kind and content of what belongs to others.
tell() {
  find /var/strangers /etc/strangers \( -type f -printf '%p %U:%G %m %y ' -exec sh -c 'cksum <"$0"' {} \; -o -printf '%p %U:%G %m %y\n' \) | sort
}

# lay KIND PATH puts something in the place of a path: a link to a directory or a file of
# others, a second name of a file of theirs, or a pipe.
lay() {
  local others=${2%%/"$name"*}/
  others=/$(cut -d/ -f2 <<<"$others")/strangers/$(tr / _ <<<"$2")
  mkdir -p "$others/directory" "$(dirname "$2")"
  printf 'secret\n' >"$others/secret"
  chmod 0600 "$others/secret"
  cp "$shipped" "$others/shipped"
  rm -rf "$2"
  case $1 in
  directory-link) ln -s "$others/directory" "$2" ;;
  secret-link) ln -s "$others/secret" "$2" ;;
  shipped-link) ln -s "$others/shipped" "$2" ;;
  link-to-nothing) ln -s "$others/directory/new" "$2" ;;
  secret-by-a-second-name) ln "$others/secret" "$2" ;;
  shipped-by-a-second-name) ln "$others/shipped" "$2" ;;
  pipe) mkfifo "$2" ;;
  esac
}

# keep remembers an installation, and try begins with it.
keep() { cp -a "$etc" /mnt/etc-kept && cp -a "$state" /mnt/state-kept; }

# try KIND PATH... -- COMMAND: runs the command, which installs twice, with something of a
# kind in the place of paths, and tells what of others is not as it was.
try() {
  local kind=$1 paths=() before after
  shift
  rm -rf "$state" "$etc" /var/strangers /etc/strangers
  mkdir -p /var/strangers /etc/strangers
  cp -a /mnt/etc-kept "$etc"
  cp -a /mnt/state-kept "$state"
  while [ "$1" != -- ]; do
    paths+=("$1")
    lay "$kind" "$1"
    shift
  done
  shift
  before=$(tell)
  timeout 120 "$@" </dev/null >/run/said 2>&1 || echo "ENDED $kind ${paths[*]}: status $?: $(tail -2 /run/said | tr '\n' ' ')"
  after=$(tell)
  if [ "$before" = "$after" ]; then
    echo "UNTOUCHED $kind ${paths[*]}"
  else
    { diff <(printf '%s\n' "$before") <(printf '%s\n' "$after") || true; } | sed -n "s/^\([<>]\) /CHANGED $kind \1 /p"
  fi
}

# try_all COMMAND: everything that has an owner or a mode of ours, with each kind.
try_all() {
  local kind leaves=("$state/models" "$state/recordings" "$state/.owner" "$state/timers.json" "$etc/credentials" "$etc/$name.yaml.unchanged"
    "$etc/$name.yaml.dpkg-dist" "$etc/$name.yaml.new" "$etc/$name.yaml.new.tmp" "$etc/profile" "$etc/profile.tmp")
  for kind in directory-link secret-link link-to-nothing secret-by-a-second-name pipe; do
    try $kind "${leaves[@]}" -- "$@"
    try $kind "$etc/$name.yaml" -- "$@"
    try $kind "$state" -- "$@"
  done
  try shipped-link "$etc/$name.yaml" -- "$@"
  try shipped-by-a-second-name "$etc/$name.yaml" -- "$@"
}
