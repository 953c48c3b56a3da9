# What package-test, boot-test and newcomer-test share: a fresh Debian 12 in a directory,
# and that directory as a machine of its own. It is sourced, not run; the script that
# does has set $work, a directory for all of it, which is removed at the end.

# fresh_debian ROOT [PACKAGE...]: a minimal Debian 12, with these packages more. The
# mirror is the one this machine uses; without one, debootstrap takes its own.
fresh_debian() {
  local root=$1 include=ca-certificates mirror
  shift
  local more
  for more; do include+=,$more; done
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -v security | head -1 || true)
  debootstrap --variant=minbase --include="$include" bookworm "$root" ${mirror:+"$mirror"} >"$work/debootstrap.log" 2>&1 || {
    tail "$work/debootstrap.log"
    die "debootstrap failed"
  }
}

# within ROOT COMMAND...: a command in that Debian, which sees the processes of this machine.
within() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=readline unshare --mount \
    sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$@" </dev/null
}

# install_package ROOT DEB: as apt in that Debian does it, with what it depends on.
install_package() {
  cp "$2" "$1/root/voice-gateway.deb"
  within "$1" apt-get -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 install /root/voice-gateway.deb 2>&1 | tail -3
}

# put MODE PLACE: a file, from standard input.
put() {
  install -D -m "$1" /dev/stdin "$2"
}

# boot ROOT SECONDS: starts that Debian as a machine, with systemd as its first process,
# and prints what scripts/machine/inside.sh in it sees, until it is switched off. What
# the kernel and systemd print is in $work/console.
boot() {
  local root=$1 limit=$2 kernel
  kernel=$(find "$root/boot" -name 'vmlinuz-*' -printf '%f\n' | sed 's/^vmlinuz-//' | sort -V | tail -1)
  cp "$root/boot/vmlinuz-$kernel" "$work/vmlinuz"
  cp "$root/boot/initrd.img-$kernel" "$work/initrd.img"
  mke2fs -q -t ext4 -d "$root" "$work/disk.img" 4G
  timeout "$limit" qemu-system-x86_64 -accel "${ACCEL:-tcg}" -cpu "${CPU:-Nehalem}" -smp 2 -m 1024 \
    -nodefaults -display none -monitor none -device virtio-rng-pci \
    -kernel "$work/vmlinuz" -initrd "$work/initrd.img" -append "root=/dev/vda rw console=ttyS0 panic=-1" \
    -drive "file=$work/disk.img,format=raw,if=virtio,cache=unsafe" \
    -serial "file:$work/console" -serial stdio </dev/null 2>"$work/qemu.log" | sed -u 's|\r$||'
}
