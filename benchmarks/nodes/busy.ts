/**
 * PostgreSQL and NATS with as much to do as they are given: a commit and a message cost them far less then than at the rates of the
 * other parts, where most of the cost is waking up for one of them.
 */
import { connect } from "@nats-io/transport-node"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { BusyMeasured } from "../../capacity/measured.ts"
import { Database } from "../../src/store/database.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { commitBare, rateOf, readBare } from "../actors/commits.ts"
import type { Defer } from "../benchmark.ts"
import type { Nats } from "../support/brokers.ts"
import { openCommanders } from "../support/commanders.ts"
import { number, printRows, sleep } from "../support/figures.ts"
import { postgresSeconds, threadSeconds } from "../support/process-usage.ts"
import { placesOf, seedEvents } from "./commands.ts"
import { portOf, type Site } from "./site.ts"

const LANES = 32
const SECONDS = 8
const LEFT_MS = 40_000
/** As the feed message of an announcement. */
const MESSAGE_BYTES = 870
const MESSAGES = 60_000
const MESSAGES_PER_FLUSH = 500
const SUBSCRIBERS = 2

/** The commits of announcements, without owners: these events are of no use afterwards. */
const busyPostgres = async (site: Site, defer: Defer) => {
  const ids = await seedEvents(site, LANES)
  const viewerPort = portOf(site, 0)
  // An event is in the store as a live one once it was asked for.
  await (await openCommanders({ places: placesOf(site, ids), hostPort: null, viewerPort }, defer)).stop()
  // Their owners commit once more, when the viewers have left.
  await sleep(LEFT_MS)
  const database = Database.layer({ url: Redacted.make(site.databaseUrl), connections: LANES })
  const runtime = ManagedRuntime.make(database.pipe(Layer.provide(Telemetry.layer("silent"))))
  defer(() => runtime.dispose())
  const { sql } = await runtime.runPromise(Effect.map(Database, (it) => it))
  const events = await Promise.all(ids.map((id) => readBare(sql, id)))
  const before = postgresSeconds(site.postmaster)
  const startedAt = performance.now()
  const perSecond = await rateOf(events.length, SECONDS, async (lane) => {
    const event = events[lane]
    if (event !== undefined) await commitBare(sql, event)
  })
  const seconds = (performance.now() - startedAt) / 1000
  const used = postgresSeconds(site.postmaster) - before
  await runtime.dispose()
  return { postgresCommit: used / (perSecond * seconds), commitsPerSecond: perSecond }
}

const busyNats = async (nats: Nats) => {
  const connections = await Promise.all(
    Array.from({ length: SUBSCRIBERS + 1 }, () => connect({ servers: new URL(nats.url).host })),
  )
  const [publisher, ...subscribers] = connections
  let received = 0
  for (const subscriber of subscribers) {
    subscriber.subscribe("bench.busy", {
      callback: () => {
        received += 1
      },
    })
    await subscriber.flush()
  }
  const payload = "x".repeat(MESSAGE_BYTES)
  const before = threadSeconds(nats.pid)
  const startedAt = performance.now()
  for (let n = 0; n < MESSAGES; n++) {
    publisher?.publish("bench.busy", payload)
    if (n % MESSAGES_PER_FLUSH === 0) await publisher?.flush()
  }
  while (received < MESSAGES * SUBSCRIBERS) await sleep(10)
  const seconds = (performance.now() - startedAt) / 1000
  const all = MESSAGES * (1 + SUBSCRIBERS)
  const used = threadSeconds(nats.pid) - before
  for (const connection of connections) await connection.close()
  return { natsMessage: used / all, messagesPerSecond: all / seconds }
}

export const measureBusy = async (site: Site, defer: Defer): Promise<BusyMeasured> => {
  if (site.nats === undefined) throw new Error("a site of nodes has NATS")
  const busy = { ...(await busyPostgres(site, defer)), ...(await busyNats(site.nats)) }
  printRows([
    ["with as much as possible", "CPU us each", "a second"],
    ["commits, PostgreSQL", number(busy.postgresCommit * 1e6), number(busy.commitsPerSecond)],
    ["messages into and out of NATS", number(busy.natsMessage * 1e6), number(busy.messagesPerSecond)],
  ])
  return busy
}
