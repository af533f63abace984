/** The state of a deployment with one live event. */
import { ids } from "../../../model/example-ids.ts"

export const platformStatus = {
  release: "0.1.0",
  at: "2026-11-20T18:30:00.000Z",
  quiet: {
    since: "2026-11-20T17:45:00.000Z",
    signs: ["gathercue restore put the database there."],
    copied: { deliveries: 2, letters: 1 },
  },
  certificate: { names: ["live.example.com"], endsAt: "2027-01-14T09:12:00.000Z", problem: null },
  backups: {
    to: "s3://backups/live",
    last: { at: "2026-11-20T03:00:00.000Z", bytes: 5368709120 },
    nextAt: "2026-11-21T03:00:00.000Z",
    failure: null,
    folder: { at: "2026-11-18T09:00:00.000Z", bytes: 5100000000 },
  },
  process: {
    node: "n1",
    sockets: 812,
    liveEvents: 1,
    uptimeSeconds: 86400,
    memoryBytes: 180000000,
    mediaFreeBytes: 214748364800,
  },
  nodes: [{ address: "10.0.0.1:9100", node: "n1", isLiving: true }],
  liveEvents: {
    total: 1,
    newest: [
      {
        id: ids.event,
        title: "Product launch",
        workspaceId: ids.workspace,
        workspaceSlug: "acme",
        startedAt: "2026-11-20T18:00:00.000Z",
        people: 780,
      },
    ],
  },
  backlog: {
    deliveries: { count: 3, overdueSeconds: 1 },
    letters: { count: 0, overdueSeconds: 0 },
    media: { count: 0, overdueSeconds: 0 },
  },
  shares: [
    {
      workspaceId: ids.workspace,
      workspaceSlug: "acme",
      uploads: 2,
      encoders: 1,
      jobsWaiting: 3,
      jobSeconds: 12.5,
      bytes: 5368709120,
    },
  ],
  busiest: {
    seconds: 280,
    missing: [],
    workspaces: [{ workspaceId: ids.workspace, workspaceSlug: "acme", requests: 4100, commands: 910 }],
    keys: [{ keyId: ids.key, name: "Backend", workspaceId: ids.workspace, requests: 3900 }],
    events: [
      { eventId: ids.event, title: "Product launch", workspaceId: ids.workspace, requests: 3200, commands: 910 },
    ],
  },
  failingWebhooks: [
    {
      id: ids.webhook,
      workspaceId: ids.workspace,
      origin: "https://hooks.example.com",
      status: "active",
      failingSince: "2026-11-20T18:10:00.000Z",
      lastFailureAt: "2026-11-20T18:29:00.000Z",
    },
  ],
}

/** A live event whose first phase has a timer with one minute left. */
export const inspection = {
  node: "n1",
  version: 42,
  fencingToken: 3,
  ownedSince: "2026-11-20T17:45:00.000Z",
  states: [
    "live.phase.running",
    "live.door.open",
    "live.presence.list",
    "live.rooms.closed",
    "live.rotation.idle",
    "live.broadcast.off",
    "live.capture.off",
    "live.hosts.here",
  ],
  polls: [{ id: ids.question, states: ["open.untimed"] }],
  deadlines: [{ name: "phase.end", about: null, at: "2026-11-20T18:30:00.000Z" }],
  transitions: [
    { at: "2026-11-20T18:00:00.000Z", event: "event.start", entered: ["live.phase.running"] },
    { at: "2026-11-20T18:12:00.000Z", event: "door.moved", entered: ["live.door.ask"] },
    { at: "2026-11-20T18:29:00.000Z", event: "door.moved", entered: ["live.door.open"] },
  ],
}
