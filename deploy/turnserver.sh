#!/bin/sh
# Starts coturn with a shipped file ($1) and what belongs to this place: TURN_SECRET, and TURN_ADDRESS, its public address. $2 is a folder that it
# may write to. A command line can be read by every process of the machine, so the secret goes into a file.
set -eu
umask 077
: "${TURN_SECRET:?}" "${TURN_ADDRESS:?}"
{
  grep -v -E '^(static-auth-secret|realm|external-ip)=' "$1"
  printf '%s\n' "static-auth-secret=$TURN_SECRET" "realm=gathercue" "external-ip=$TURN_ADDRESS"
  printf '%s\n' "userdb=$2/turn.sqlite" "pidfile=$2/turn.pid"
} > "$2/turnserver.conf"
exec turnserver -c "$2/turnserver.conf"
