/**
 * The floors of each room, from the ground up. A file imports files of its own floor and of those below, types included. An entry is a folder
 * or a file of the room's folder; the longest that fits a file counts, and "*" is every other file.
 */
export const FLOORS = {
  "src/model": ["text", "*", ["limits", "live", "media", "pairing"], ["breakouts", "integrations"], "rotation"],
  "src/protocol": [
    ["wire", "expect-none.ts", "rule.ts"],
    ["command.ts", "dispatch.ts", "refusals.ts"],
    "messages",
    ["wire/frames.ts", "joined.ts", "ready.ts"],
    "session.ts",
    "contract.ts",
    "permissions.ts",
  ],
  "src/store": [
    ["pool", "sqlstate.ts"],
    ["*", "embedded", "sealing"],
    ["accounts", "cluster", "limits", "mail", "media"],
    ["events", "webhooks", "sealing/sealing-keys.ts", "open-database.ts"],
    ["links", "live", "sealing/resealing.ts"],
    ["backups/backups.ts", "personal", "quiet", "workspaces"],
    ["backups", "platform", "sweeps"],
  ],
  "src/sfu": [
    "bytes.ts",
    ["dtls", "ice", "rtp"],
    "srtp",
    "forwarding",
    "session",
    ["encoder", "forwarding/room.ts"],
    ["process-protocol.ts", "sfu.ts"],
    "sfu-process.ts",
  ],
  "src/media": [
    "*",
    ["broadcast", "captions", "storage"],
    ["derivations", "live", "stage"],
    "livekit",
    ["placed", "processing"],
    "jobs",
  ],
  "src/identity": ["*", ["accounts", "links", "partners"], ["callers", "connections"]],
  "src/actors": [
    ["commands.ts", "calls", "ownership"],
    "state",
    "presence",
    ["protocol.ts", "feed.ts"],
    "domain",
    "machine",
    ["services.ts", "inspector.ts"],
    "commit",
    "views",
    ["runtime", "command-traces.ts"],
    "live-events.ts",
    "placement.ts",
  ],
  "src/cluster": ["link", "*"],
  "src/http": [
    ["contract", "limits"],
    "transport",
    ["cards", "description", "requests"],
    "handlers",
    ["pages", "media", "gateway", "mcp"],
    "development",
    "streaming-routes.ts",
    ["rest.ts", "routes.ts"],
  ],
  "src/gateway": [
    ["streams", "memory", "expulsion"],
    "options.ts",
    ["services.ts", "connection"],
    ["transport", "grants"],
    "rtc",
    "recovery",
    ["broadcast", "replay"],
    "event",
    ["frames", "description"],
    "requests",
    "gateway.ts",
  ],
  "src/app": [["*"], "layers", "server.ts", "run-server.ts", "run.ts"],
  "packages/client/src": [
    "rest-call.ts",
    "contract",
    "wire.ts",
    "connection",
    ["broadcast", "state"],
    "*",
    "entry.ts",
    ["media", "react"],
    ["media-entry.ts", "react-entry.ts"],
  ],
  "packages/web/src": ["api", "texts", "ui", "forms", "live", ["attendee", "host", "ops", "play"], "screen", "*"],
}

/** The floor of a file, by its path in the room; -1: it has none. */
export const floorOf = (floors, file) => {
  let [best, length] = [floors.findIndex((entries) => [entries].flat().includes("*")), -1]
  floors.forEach((entries, floor) => {
    for (const entry of [entries].flat()) {
      if ((file === entry || file.startsWith(`${entry}/`)) && entry.length > length)
        [best, length] = [floor, entry.length]
    }
  })
  return best
}
