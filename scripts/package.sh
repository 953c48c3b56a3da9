#!/usr/bin/env bash
# Builds the Debian packages, one for each architecture, into dist: package.sh [ARCH...]
# (amd64, arm64, armhf unless named). The same commit makes the same bytes: the time
# is that of the commit, and no path of the machine is in them. Code for another
# architecture is compiled on this machine, against Debian's libraries for that one,
# which are unpacked below .tools and installed nowhere.
#
#   PACKAGE_VERSION        the version, where it is not to come from git
#   DEBFULLNAME, DEBEMAIL  who answers for the packages; else it is who made the tag
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022

name=voice-gateway
architectures=("$@")
[ ${#architectures[@]} -gt 0 ] || architectures=(amd64 arm64 armhf)
native=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
mkdir -p dist
rm -f dist/"$name"_*.deb dist/SHA256SUMS* # those of one commit are there, which a release takes

say() { printf 'package: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# version says a version that grows with each commit. Before the first tag it is less
# than the release it leads to.
version() {
  local described
  if described=$(git describe --tags --match 'v[0-9]*' 2>/dev/null); then
    sed -E 's/^v//; s/-([0-9]+)-g/+\1.g/; s/-/~/g' <<<"$described"
  else
    printf '0.1.0~git%s.%s\n' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S)" "$(git rev-parse --short=12 HEAD)"
  fi
}
VERSION=${PACKAGE_VERSION:-$(version)}
[ -z "$(git status --porcelain --untracked-files=no)" ] || say "there are changes that no commit holds; the version does not tell of them"

maintainer=$(scripts/package/maintainer.sh) # who answers for them

# sysroot unpacks Debian's libraries for another architecture, with an apt of its own
# that knows nothing of what is installed here, and says where.
sysroot() {
  local arch=$1 root=$PWD/.tools/sysroot-$1 apt=$work/apt-$1 library deb
  if [ ! -d "$root" ]; then
    say "fetching the libraries for $arch"
    mkdir -p .tools "$apt"/{lists,archives}/partial "$work/sysroot-$arch"
    : >"$apt/status"
    local its=(-qq -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists"
      -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt" -o APT::Sandbox::User=root)
    apt-get "${its[@]}" update >&2 || say "some package lists could not be had; trying with the others"
    apt-get "${its[@]}" install -y --download-only --no-install-recommends \
      libc6-dev portaudio19-dev libasound2-dev libpocketsphinx-dev pocketsphinx-en-us >&2
    for deb in "$apt"/archives/*.deb; do dpkg-deb -x "$deb" "$work/sysroot-$arch"; done
    # Debian's alternatives would make these two when their packages are installed.
    for library in blas lapack; do
      ln -s "$library/lib$library.so.3" "$work/sysroot-$arch/usr/lib/$(triplet "$arch")/lib$library.so.3"
    done
    mv "$work/sysroot-$arch" "$root"
  fi
  printf '%s\n' "$root"
}

triplet() {
  case $1 in
  amd64) echo x86_64-linux-gnu ;;
  arm64) echo aarch64-linux-gnu ;;
  armhf) echo arm-linux-gnueabihf ;;
  *) die "there is no package for $1; there are: amd64, arm64, armhf" ;;
  esac
}

# compile ARCH DIRECTORY: the programs, stripped.
compile() {
  local arch=$1 to=$2 triplet root
  triplet=$(triplet "$arch")
  local env=(CGO_ENABLED=1 "GOARCH=${arch/armhf/arm}" GOAMD64=v1 GOARM64=v8.0 GOARM=7)
  if [ "$arch" != "$native" ]; then
    root=$(sysroot "$arch")
    env+=("CC=$triplet-gcc --sysroot=$root" "PKG_CONFIG_SYSROOT_DIR=$root"
      "PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig")
  fi
  local flags=(-buildvcs=false -trimpath -ldflags "-s -w -buildid= -X main.version=$VERSION")
  env "${env[@]}" go build "${flags[@]}" -o "$to/voice-gateway" ./cmd/voice-gateway
  env "${env[@]}" CGO_ENABLED=0 go build "${flags[@]}" -o "$to/zwave-mcp-server" ./cmd/zwave-mcp-server
  env "${env[@]}" CGO_ENABLED=0 go build "${flags[@]}" -o "$to/home-assistant-mcp-server" ./cmd/home-assistant-mcp-server
}

# libraries are the shared libraries a program names, without the loader's own name,
# which is another on each architecture.
libraries() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | sort; }

# depends says which packages hold the libraries of a program of this machine's
# architecture; a program for another one has to need the same libraries.
depends() {
  mkdir -p "$work/shlibs/debian"
  printf 'Source: %s\n\nPackage: %s\nArchitecture: any\n' "$name" "$name" >"$work/shlibs/debian/control"
  (cd "$work/shlibs" && dpkg-shlibdeps -O "$1" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

# lay ARCH ROOT: the files of the package.
lay() {
  local arch=$1 root=$2 share=$2/usr/share page
  scripts/package/lay.sh "$work/$arch" "$root"
  "$work/papers" -root "$root" -version "$VERSION" -time "$SOURCE_DATE_EPOCH" -modules "$(go env GOMODCACHE)" -go "$(go env GOROOT)"
  # Debian's changelog has one line, which leads to the real one.
  printf '%s (%s) stable; urgency=medium\n\n  * The changes are in NEWS.md.\n\n -- %s  %s\n' \
    "$name" "$VERSION" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" >"$share/doc/$name/changelog"
  gzip -9n "$share/doc/$name/changelog"
  for page in "$share"/man/man[15]/*.[15]; do gzip -9n "$page"; done
}

# kilobytes is what the files take when installed, counted as Debian counts it.
kilobytes() {
  find "$1" -path "$1/DEBIAN" -prune -o -printf '%y %s\n' |
    awk '{ n += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print n }'
}

# pack ARCH: the package, into dist.
pack() {
  local arch=$1 root=$work/root-$1 deb=dist/${name}_${VERSION}_$1.deb
  [ "$(libraries "$work/$arch/$name")" = "$(libraries "$work/$native/$name")" ] || die "$name for $arch needs other libraries than that for $native"
  lay "$arch" "$root"
  mkdir "$root/DEBIAN"
  sed -e "s|@VERSION@|$VERSION|" -e "s|@ARCHITECTURE@|$arch|" -e "s|@MAINTAINER@|$maintainer|" -e "s|@LIBRARIES@|$depends|" \
    -e "s|@SIZE@|$(kilobytes "$root")|" scripts/package/control >"$root/DEBIAN/control"
  install -m 0755 scripts/package/{preinst,postinst,prerm,postrm} "$root/DEBIAN/"
  (cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' md5sum) >"$work/md5sums"
  install -m 0644 "$work/md5sums" "$root/DEBIAN/md5sums"
  # One thread: the bytes must not depend on how many processors there are.
  dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$deb" >/dev/null
  printf '%-6s %10d bytes  %s\n       voice-gateway %d bytes, zwave-mcp-server %d bytes, home-assistant-mcp-server %d bytes, stripped\n       sha256 %s\n' "$arch" \
    "$(stat -c %s "$deb")" "$deb" "$(stat -c %s "$root/usr/bin/voice-gateway")" "$(stat -c %s "$root/usr/bin/zwave-mcp-server")" \
    "$(stat -c %s "$root/usr/bin/home-assistant-mcp-server")" \
    "$(sha256sum "$deb" | cut -d' ' -f1)"
}

say "version $VERSION"
go build -o "$work/papers" ./scripts/packaging
for arch in "$native" "${architectures[@]}"; do # that of this machine says on which packages all depend
  [ -d "$work/$arch" ] || { mkdir "$work/$arch"; say "compiling for $arch"; compile "$arch" "$work/$arch"; }
done
depends=$(depends "$work/$native/$name")
[ -n "$depends" ] || die "dpkg-shlibdeps does not say which packages hold the libraries"
for arch in "${architectures[@]}"; do pack "$arch"; done
(cd dist && sha256sum "$name"_*.deb >SHA256SUMS)
