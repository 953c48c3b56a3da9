#!/usr/bin/env bash
# Installs what building and testing need and this machine lacks. It says what
# and why before it does anything, and does nothing when all is there. With the name
# of a target (package, package-test, boot-test, newcomer-test, release) also what that one needs.
set -euo pipefail

# Debian's package, and what it is for.
needs=(
  "gcc             compiles the parts that call C libraries"
  "pkg-config      finds those libraries"
  "portaudio19-dev microphone and speaker"
  "libasound2-dev  sound card names and errors, and the tests' virtual card"
  "libpocketsphinx-dev offline speech recognition"
  "pocketsphinx-en-us its English model"
  "espeak-ng       the default voice, and the pronunciation of names"
  "flite           the second voice"
  "mosquitto       the MQTT broker the tests run against"
  "mosquitto-clients its command line tools, for tests and for looking"
  "chromium        the browser that the tests of the page look with"
  "prometheus      promtool, with which the tests check the alert rules and the dashboard"
  "systemd         judges the units of the service, in the tests"
)
case ${1:-} in
package | package-test)
  needs+=(
    "dpkg-dev        says which packages hold the libraries of a program"
    "gcc-aarch64-linux-gnu compiles for arm64"
    "gcc-arm-linux-gnueabihf compiles for armhf"
  )
  ;;
esac
case ${1:-} in
package-test | boot-test | newcomer-test)
  needs+=("debootstrap     makes the fresh Debian the package is tried in")
  ;;&
package-test)
  needs+=(
    "iproute2        a network for one program alone"
    "lintian         judges the package by Debian's rules"
    "qemu-user-static runs the programs for arm64 and armhf"
  )
  ;;
boot-test)
  needs+=(
    "e2fsprogs       makes the disk of the machine that is started"
    "qemu-system-x86 is that machine"
  )
  ;;
newcomer-test)
  needs+=(
    "iproute2        a network for the newcomer alone"
    "slirp4netns     the way from there to the internet, which counts"
  )
  ;;
esac
if [ "${1:-}" = release ]; then
  needs+=("gh              publishes a release")
fi
# Any Python with pip will do.
if ! python3 -m pip --version >/dev/null 2>&1; then
  needs+=("python3-pip     fetches the model of the neural recogniser")
fi

say() { printf 'setup: %s\n' "$*" >&2; }

# The Go that builds this. From 1.21 on Go fetches what go.mod names by itself. An older
# one, such as Debian 12's 1.19, is only used to fetch it, checked by Go's checksum
# database, into .tools/go, which make looks at first.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted=1.26.8
fetcher=1.21
PATH=$PWD/.tools/go/bin:$PATH

# go_version is the version of the Go that is here, empty where there is none.
go_version() { { (cd / && go env GOVERSION 2>/dev/null) || true; } | sed 's/^go//'; }
# old VERSION: is it older than the first that fetches by itself?
old() { [ -z "$1" ] || [ "$(printf '%s\n' "$1" "$fetcher" | sort -V | head -n1)" != "$fetcher" ]; }

fetch_go() {
  local place dir
  say "Go $(go_version) is too old to build this; fetching Go $wanted into .tools/go (about 70 MB)"
  place=$(mktemp -d)
  printf 'module fetching\n' >"$place/go.mod"
  if ! dir=$(cd "$place" && go mod download -json "golang.org/toolchain@v0.0.1-go$wanted.linux-$(go env GOARCH)" | sed -n 's/^.*"Dir": "\(.*\)".*$/\1/p') || [ -z "$dir" ]; then
    rm -rf "$place"
    say "it could not be fetched. Install Go 1.26 or newer from https://go.dev/dl/ and run this again."
    exit 1
  fi
  mkdir -p .tools
  rm -rf .tools/go .tools/go.new
  cp -r "$dir" .tools/go.new
  chmod -R u+w .tools/go.new
  chmod +x .tools/go.new/bin/* .tools/go.new/pkg/tool/*/*
  mv .tools/go.new .tools/go
  rm -rf "$place"
  hash -r
}

have=$(go_version)
if [ -z "$have" ]; then
  if ! command -v apt-get >/dev/null; then
    say "Go is missing. Install Go 1.26 or newer from https://go.dev/dl/ and run this again."
    exit 1
  fi
  needs+=("golang-go       fetches the Go that builds this")
elif old "$have"; then
  fetch_go
fi

packages=()
for need in "${needs[@]}"; do packages+=("${need%% *}"); done

# Without Debian's packages: are the things themselves there?
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  missing=()
  for tool in gcc pkg-config espeak-ng flite mosquitto mosquitto_passwd promtool systemd-analyze; do
    PATH=$PATH:/usr/sbin:/usr/local/sbin command -v "$tool" >/dev/null || missing+=("$tool")
  done
  for library in portaudio-2.0 alsa pocketsphinx; do
    pkg-config --exists "$library" 2>/dev/null || missing+=("$library (with headers)")
  done
  [ ${#missing[@]} -eq 0 ] && exit 0
  say "this machine has no apt; please install these with its own package manager:"
  printf '  %s\n' "${missing[@]}" >&2
  exit 1
fi

installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  case $'\n'$installed$'\n' in *$'\n'"$package installed"$'\n'*) ;; *) missing+=("$package") ;; esac
done
[ ${#missing[@]} -eq 0 ] && exit 0

say "installing ${#missing[@]} packages with apt:"
for need in "${needs[@]}"; do
  for package in "${missing[@]}"; do
    [ "${need%% *}" = "$package" ] && printf '  %-20s %s\n' "$package" "$(sed -E 's/^[^ ]+ +//' <<<"$need")" >&2
  done
done

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    say "this needs root and there is no sudo; run as root: apt-get install ${missing[*]}"
    exit 1
  fi
  sudo=(sudo)
fi

# Debian starts a broker and Prometheus with their packages. The tests start their own
# broker on a free port and need of Prometheus a tool alone, so new ones stay off; those
# that were there before are left alone.
quiet=()
for service in mosquitto prometheus; do
  if [[ " ${missing[*]} " == *" $service "* && -d /run/systemd/system ]]; then
    "${sudo[@]}" systemctl mask --runtime --quiet "$service.service" && quiet+=("$service")
  fi
done

status=0
"${sudo[@]}" apt-get update -qq || say "the package lists could not be renewed; trying with those that are here"
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" >&2 || status=$?

for service in "${quiet[@]}"; do
  "${sudo[@]}" systemctl unmask --runtime --quiet "$service.service" || true
  "${sudo[@]}" systemctl disable --quiet "$service.service" 2>/dev/null || true
  say "$service is installed and switched off; to use it on this machine: systemctl enable --now $service"
done
if [ "$status" -ne 0 ]; then
  say "apt could not install them (status $status); its own message is above"
  exit "$status"
fi
if old "$(go_version)"; then fetch_go; fi
say "done"
