#!/usr/bin/env bash
# Prints who answers for the packages of this commit: whom DEBFULLNAME and DEBEMAIL name,
# as for Debian's own tools, else who made its tag. Git's user of this machine is not
# asked, because the same commit is to make the same bytes elsewhere. A release that names
# nobody is refused; other packages say that they are nobody's.
set -euo pipefail

die() { printf 'package: %s\n' "$*" >&2; exit 1; }

if [ -n "${DEBEMAIL:-}" ]; then
  [[ $DEBEMAIL == *?@?* ]] || die "DEBEMAIL is no address: $DEBEMAIL"
  [ -n "${DEBFULLNAME:-}" ] || die "DEBEMAIL is set and DEBFULLNAME is not; a package names both"
  printf '%s <%s>\n' "$DEBFULLNAME" "$DEBEMAIL"
elif tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null); then
  tagger=$(git for-each-ref --format='%(taggername) %(taggeremail)' "refs/tags/$tag")
  [[ $tagger == *?@?* ]] || die "$tag is a release and names no maintainer: set DEBFULLNAME and DEBEMAIL, or make it an annotated tag"
  printf '%s\n' "$tagger"
else
  printf 'package: no maintainer is named, so these are not for others; set DEBFULLNAME and DEBEMAIL, or pack an annotated tag\n' >&2
  printf 'nobody yet <nobody@packages.invalid>\n'
fi
