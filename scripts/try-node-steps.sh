#!/bin/sh
# The steps of try-node.sh, in the fresh system and as an ordinary user.
set -eu
cd "$(dirname "$0")/.."
echo "Node $(node --version), $(ldd --version | head -n 1)"

npm ci --no-audit --no-fund

PORT=18080 npm start &
server=$!
tries=0
until node -e 'fetch("http://127.0.0.1:18080/readyz").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))'; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "the server was not ready within a minute" >&2; exit 1; }
  sleep 1
done
kill -TERM "$server"
wait "$server" || [ $? -eq 143 ]

npm run demo
npm test
