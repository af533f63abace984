import { defineConfig } from "vitest/config"
import config from "./vitest.config.ts"

const inFolder = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `test/${folder}/${name}.test.ts`)

const GATEWAY = [
  "anonymous",
  "breakout",
  "breakout-end",
  "broadcast",
  "chat",
  "commands",
  "departures",
  "edges",
  "grants",
  "holdings",
  "host-absence",
  "identify",
  "known",
  "leaving-tabs",
  "lobby",
  "lobby-policy",
  "lowered-roles",
  "managers",
  "matrix",
  "own-stream",
  "polls",
  "presence",
  "qa",
  "replay.property",
  "return",
  "revocation",
  "revocation-links",
  "revoked",
  "rooms",
  "rotation",
  "stage",
  "streams",
  "timers",
]
const HTTP = [
  "broadcasts",
  "events",
  "first-proof",
  "gateway-tokens",
  "guest-erasure",
  "guest-sessions",
  "inspection",
  "people",
  "public-events",
  "question-votes",
  "questions",
  "registration",
  "webhooks",
]

/**
 * Tests of one server, run against three nodes behind a load balancer that sends each request and each socket to the next of them.
 * They need nats-server on the machine. Left out are tests of what each node counts or remembers alone (docs/scaling.md), of media that is
 * uploaded, and those that need no server.
 */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    // Each worker runs three nodes.
    maxWorkers: 2,
    include: [
      "test-nodes/**/*.test.ts",
      ...inFolder("gateway", GATEWAY),
      ...inFolder("gateway/rtc", ["calls", "seats"]),
      ...inFolder("http", HTTP),
      ...inFolder("webhooks", ["dispatcher", "dispatcher-lifecycle"]),
      ...inFolder("e2e", ["client", "client-activities", "examples"]),
    ],
    globalSetup: ["test/support/global-setup.ts", "test/support/nodes-setup.ts"],
  },
})
