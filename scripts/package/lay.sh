#!/usr/bin/env bash
# Lays out the files of the package that are the same for every architecture and version,
# and the two programs: lay.sh BIN ROOT. What is made of the programs, such as manual
# pages, is added by scripts/package.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

name=voice-gateway
root=$2
share=$root/usr/share

PREFIX=/usr DESTDIR=$root BIN=$1 scripts/install.sh install >/dev/null
# The configuration is made of this one when the package is set up, so that an update
# can tell what its owner has changed and never has to ask (ADR 26).
mkdir -p "$share/$name" "$share/doc/$name/examples" "$share/lintian/overrides"
mv "$root/etc/$name/$name.yaml" "$share/$name/$name.yaml"
chmod 0755 "$root/etc/$name/credentials"
# The state belongs to the service. Where the package held a directory of it, dpkg would
# work as root between files that the service can exchange.
rmdir "$root/var/lib/$name/models" "$root/var/lib/$name" "$root/var/lib" "$root/var"
install -m 0644 configs/{offline,local-ai,cloud,zwave-mcp-server,home-assistant-mcp-server,prometheus-rules}.yaml configs/grafana-dashboard.json configs/mosquitto-acl.conf "$share/doc/$name/examples/"
# The documents link to each other as they do in the repository.
for document in README.md SECURITY.md CONTRIBUTING.md docs/*.md docs/*.png docs/adr/*.md docs/facts/*.md; do
  install -D -m 0644 "$document" "$share/doc/$name/$document"
done
install -m 0644 CHANGELOG.md "$share/doc/$name/NEWS.md"
ln -s NEWS.md "$share/doc/$name/CHANGELOG.md"
ln -s copyright "$share/doc/$name/LICENSE"
mkdir "$share/doc/$name/configs"
ln -s "../../../$name/$name.yaml" "$share/doc/$name/configs/$name.yaml"
install -m 0644 scripts/package/copyright "$share/doc/$name/copyright"
install -m 0644 scripts/package/lintian-overrides "$share/lintian/overrides/$name"
