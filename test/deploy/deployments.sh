#!/usr/bin/env bash
# Builds the image of deploy/Dockerfile, installs deploy/sitehand.service on a machine of its own, and runs deployments.ts.
# Debian's tools and packages, with this Node, stand in for Docker and for the base image. All processes, mounts and files are in
# namespaces of their own: however this ends, nothing is left of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# In the namespaces it is the first process.
if (($$ != 1)); then
  missing=()
  for tool in debootstrap podman crun systemd-nspawn; do command -v "$tool" > /dev/null || missing+=("$tool"); done
  unshare --mount true 2> /dev/null || missing+=('the right to mount, which root of an ordinary container lacks')
  if ((${#missing[@]} > 0)); then
    printf 'Missing: %s.\n' "${missing[@]}" >&2
    echo 'This needs root, and the Debian packages debootstrap, podman, crun and systemd-container. Nothing was tried.' >&2
    exit 2
  fi
  exec unshare --mount --pid --fork --mount-proc --kill-child test/deploy/deployments.sh
fi

mkdir -p /var/lib/containers
for folder in /run /var/tmp /var/lib/containers; do mount -t tmpfs tmpfs "$folder"; done
# Beside version 1 of cgroups, crun refuses version 2.
! mountpoint -q /sys/fs/cgroup/unified || umount /sys/fs/cgroup/unified
export TMPDIR=/var/tmp
# Nobody but deployments.ts asks for health.
export DISABLE_HC_SYSTEMD=true

quietly() { "$@" > /var/tmp/output 2>&1 || { tail -n 40 /var/tmp/output >&2 && exit 1; }; }

machine=/var/tmp/machine
quietly debootstrap --variant=minbase --include=systemd,dbus bookworm $machine
cp "$(readlink -f "$(command -v node)")" $machine/usr/local/bin/node
quietly npm install --global --prefix $machine/usr/local npm@11
chroot $machine useradd --create-home node
# The build takes packages from the cache of `npm ci` only.
install -D -m 644 <(echo offline=true) $machine/usr/local/etc/npmrc
# Only the registry has an image of the pinned digest.
sed 's/@sha256:[0-9a-f]*//' deploy/Dockerfile > /var/tmp/Dockerfile
name=docker.io/library/$(sed -n 's/^FROM \(node:\S*\)$/\1/p' /var/tmp/Dockerfile)
tar -C $machine -c . | quietly podman import - "$name"
podman tag "$name" base
# Isolated by chroot alone and without layers, it is built in a container too.
quietly podman build --isolation chroot --layers=false --format docker --volume "$(npm config get cache):/root/.npm" \
  -f /var/tmp/Dockerfile -t sitehand .

# The machine becomes what sitehand.service expects.
ln -s /usr/local/bin/node $machine/usr/bin/node
quietly podman create --name package sitehand
podman cp package:/opt/sitehand $machine/opt/sitehand
install -D -m 644 src/playground/policy.yml $machine/etc/sitehand/policy.yml
install -m 644 deploy/sitehand.service $machine/etc/systemd/system/
install -m 755 deploy/beside-service.sh $machine/usr/local/bin/sitehand
quietly chroot $machine systemctl enable sitehand
# deployments.ts reads there what the bot says, and what systemd says of it.
install -D -m 644 <(printf '[Journal]\nForwardToConsole=yes\n') $machine/etc/systemd/journald.conf.d/console.conf
# Of a mistyped setting it only warns.
warnings=$(chroot $machine systemd-analyze verify sitehand.service 2>&1)
[[ -z $warnings ]] || { echo "$warnings" >&2 && exit 1; }
chroot $machine systemd-analyze security --offline=true --threshold=17 --no-pager sitehand.service | tail -n 1

node --import ./src/node-version.js test/deploy/deployments.ts
