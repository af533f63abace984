/** The chaos harness itself: a check that finds nothing must have looked, and a seed must mean what it says. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import postgres from "postgres"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { Chance } from "../../chaos/chance.ts"
import { checkAcknowledged } from "../../chaos/checks/acknowledged.ts"
import { checkArrivals } from "../../chaos/checks/arrivals.ts"
import type { Inspection } from "../../chaos/checks/inspection.ts"
import { checkTallies } from "../../chaos/checks/tallies.ts"
import { checkTimers } from "../../chaos/checks/timers.ts"
import { checkWebhooks } from "../../chaos/checks/webhooks.ts"
import { FAULTS, faultsOf, schedule } from "../../chaos/faults/schedule.ts"
import { Darkness } from "../../chaos/ledger/darkness.ts"
import { Ledger } from "../../chaos/ledger/ledger.ts"
import { type Received, Streams } from "../../chaos/ledger/streams.ts"
import { Votes } from "../../chaos/ledger/votes.ts"
import type { Client } from "../../chaos/load/client.ts"
import { moveSocketsTo } from "../../chaos/load/even-out.ts"
import { startHealthChecks } from "../../chaos/load/health-checks.ts"
import { hashOf, type Told } from "../../chaos/load/receiver.ts"
import { NotUnderstood, readOptions } from "../../chaos/options.ts"
import { reportOf } from "../../chaos/report.ts"
import { newId } from "../../src/model/ids.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"

let database: TestDatabase
let sql: postgres.Sql
const workspaceId = newId()
const eventId = newId()

beforeAll(async () => {
  database = await createTestDatabase()
  sql = postgres(database.url, { max: 1 })
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Chaos', 'chaos')`
  await addEvent(eventId, "live")
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

const addEvent = (id: string, title: string) => sql`
  insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting, allow_anonymous_questions, metadata)
  values (${id}, ${workspaceId}, 'webinar', ${title}, 'scheduled', 'public', false, false, '{}')`

const record = (kind: string, id: string, body: object | ReadonlyArray<string>) => sql`
  insert into live_records (event_id, kind, id, body) values (${eventId}, ${kind}, ${id}, ${sql.json(body as never)})`

const inspection = (given: { readonly told?: ReadonlyMap<string, Told>; readonly endpoint?: string } = {}) => {
  const ledger = new Ledger()
  const votes = new Votes()
  const whole = {
    sql,
    ledger,
    streams: new Streams(ledger),
    crowd: { workspaceId, endpoints: new Map([["first", given.endpoint ?? newId()]]) },
    load: { votes, races: [] },
    receiver: { told: new Map([["first", given.told ?? new Map()]]), behave: () => undefined },
  } as unknown as Inspection // only what the checks under test look at
  return { ledger, votes, streams: whole.streams, whole }
}

const found = ({ violations }: Ledger): ReadonlyArray<string> =>
  violations.map(({ invariant, what }) => `${invariant} ${what}`)

const received = (s: number, more: Partial<Received> = {}): Received => ({
  eventId,
  epoch: "e",
  stream: "event",
  s,
  t: "chat.message",
  text: JSON.stringify({ op: 0, t: "chat.message", s, d: { s } }),
  d: {},
  ...more,
})

test("the same seed gives the same faults, each once before any comes again, and only those asked for", () => {
  const take = (seed: number, wanted: ReadonlyArray<string>, count: number) =>
    Array.from(
      { length: count },
      (
        (strikes) => () =>
          strikes.next().value
      )(schedule(seed, "external", wanted)),
    )
  const possible = FAULTS.filter(({ on, nodes }) => on !== "embedded" && nodes !== "several")
  const first = take(7, [], possible.length)
  expect(take(7, [], possible.length)).toEqual(first)
  expect(take(8, [], possible.length)).not.toEqual(first)
  expect(new Set(first.map((strike) => strike?.fault.name)).size).toBe(possible.length)
  expect(new Set(take(7, ["kill", "postmaster-embedded"], 5).map((strike) => strike?.fault.name))).toEqual(
    new Set(["kill"]),
  )
})

test("faults depend on the number of nodes", () => {
  const names = (nodes: number) =>
    faultsOf("external", ["kill", "node-kill", "backend"], { nodes }).map(({ name }) => name)
  expect(names(1)).toEqual(["kill", "backend"])
  expect(names(3)).toEqual(["node-kill", "backend"])
})

test("an event is dark for the longest time without an acknowledged command, from the fault on", () => {
  const darkness = new Darkness()
  darkness.begin(["a", "b"], 1000)
  darkness.served("other", 1010)
  darkness.served("a", 1010)
  darkness.served("a", 1700)
  darkness.served("a", 1800)
  expect(darkness.end(2500)).toEqual([690, 1500])
  expect(darkness.end(2500)).toEqual([])
})

test("the command line is read or refused with a sentence", () => {
  expect(readOptions(["--minutes", "3", "--seed", "5", "--faults", "kill,term"], ["kill", "term"])).toMatchObject({
    minutes: 3,
    seed: 5,
    faults: ["kill", "term"],
    database: "both",
    nodes: 1,
    beside: undefined,
    cuts: 0.5,
  })
  expect(readOptions(["--nodes", "3", "--beside", "v1.0.0", "--cuts", "0"], [])).toMatchObject({
    beside: "v1.0.0",
    cuts: 0,
    drainMs: 0,
  })
  expect(readOptions(["--nodes", "3", "--drain", "1500"], [])).toMatchObject({ drainMs: 1500 })
  expect(() => readOptions(["--drain", "1500"], [])).toThrow("--drain needs several nodes")
  expect(() => readOptions(["--beside", "previous"], [])).toThrow("--beside needs several nodes")
  expect(readOptions(["--nodes", "3"], [])).toMatchObject({ database: "external", nodes: 3 })
  expect(() => readOptions(["--nodes", "3", "--database", "embedded"], [])).toThrow("need --database external")
  expect(() => readOptions(["--nodes", "1.5"], [])).toThrow(NotUnderstood)
  expect(() => readOptions(["--faults", "flood"], ["kill"])).toThrow(NotUnderstood)
  expect(() => readOptions(["--minutes", "soon"], [])).toThrow("--minutes must be a number of at least 0.1.")
})

test("one number with two contents is found, in one history and not across two", () => {
  const { ledger, streams } = inspection()
  streams.receive(received(1))
  streams.receive(received(1))
  streams.receive(received(1, { epoch: "other", text: JSON.stringify({ d: { s: 0 } }) }))
  expect(ledger.violations).toEqual([])
  streams.receive(received(1, { text: JSON.stringify({ d: { s: 0 } }) }))
  expect(found(ledger)).toEqual(["I2 event has two contents at number 1 (one is chat.message)"])
  streams.receive(received(4))
  expect(streams.missing("event")).toBe(2)
})

test("an acknowledged change that is missing counts as lost, and one that is stored twice as doubled", async () => {
  const { ledger, whole } = inspection()
  for (const mark of ["kept", "lost", "twice", "unanswered"]) ledger.ask("event", mark, null)
  for (const mark of ["kept", "lost", "twice"]) ledger.acknowledge("event", mark)
  for (const title of ["kept", "twice", "twice"]) await addEvent(newId(), title)
  await checkAcknowledged(whole)
  expect(found(ledger)).toEqual(["I1 event: acknowledged and not there", "I3 event: asked for once and there 2 times"])
})

test("a timer that elapsed twice is found, and one that is overdue", async () => {
  const { ledger, streams, whole } = inspection()
  const d = { timer: { id: "t", endsAt: "2026-01-01T00:00:00Z" } }
  streams.receive(received(1, { t: "timer.elapsed", d }))
  streams.receive(received(2, { t: "timer.elapsed", d: { timer: { ...d.timer, endsAt: "2026-01-01T00:00:09Z" } } }))
  await checkTimers(whole)
  expect(ledger.violations).toEqual([])
  streams.receive(received(3, { t: "timer.elapsed", d }))
  await record("poll", newId(), { status: "open", endsAt: "2026-01-01T00:00:00Z", counts: [], voters: 0 })
  await checkTimers(whole)
  expect(found(ledger)).toEqual(["I5 a timer elapsed twice", "I5 a poll is overdue and its timer has not elapsed"])
})

test("a tally that is not its votes is found, and a vote that is not the one acknowledged", async () => {
  const { ledger, votes, whole } = inspection()
  const [right, wrong] = [newId(), newId()]
  await record("poll", right, { status: "closed", counts: [1, 0], voters: 1 })
  await record("poll", wrong, { status: "closed", counts: [1, 1], voters: 2 })
  await record("pollVote", `${right} ada`, ["1"])
  await record("pollVote", `${wrong} ada`, ["1"])
  votes.acknowledge({ of: "poll", id: right, voter: "ada", choice: "1", during: "kill" })
  votes.acknowledge({ of: "poll", id: wrong, voter: "ada", choice: "2", during: "kill" })
  votes.acknowledge({ of: "question", id: newId(), voter: "ada", choice: "false", during: "kill" })
  await checkTallies(whole)
  expect(found(ledger)).toEqual([
    "I6 a poll's tally is not its votes",
    "I1 a poll vote that was acknowledged is not what is stored",
  ])
  expect(ledger.violations[1]?.during).toBe("kill")
})

test("an occurrence that never came, came changed, out of order or from nowhere is found", async () => {
  const endpoint = newId()
  const ids = [newId(), newId(), newId(), newId()]
  const bodyOf = (id: string) => JSON.stringify({ id, eventId, type: "event.published" })
  await sql`insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed)
    values (${endpoint}, ${workspaceId}, 'http://127.0.0.1', '{}', '')`
  for (const id of ids) {
    await sql`insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
      values (${id}, ${workspaceId}, ${eventId}, 'event.published', ${bodyOf(id)}, now())`
    await sql`insert into webhook_deliveries (id, message_id, endpoint_id, event_id, status)
      values (${newId()}, ${id}, ${endpoint}, ${eventId}, 'delivered')`
  }
  const told = new Map<string, Told>()
  const tell = (id: string, more: Partial<Told> = {}) =>
    told.set(id, {
      id,
      eventId,
      type: "event.published",
      hash: hashOf(bodyOf(id)),
      accepted: 1,
      changed: false,
      ...more,
    })
  const [first = "", second = "", third = ""] = ids
  tell(second)
  tell(first)
  tell(third, { changed: true })
  tell("nowhere")
  const { ledger, whole } = inspection({ endpoint, told })
  await checkWebhooks(whole)
  expect(found(ledger)).toEqual([
    "I4 an occurrence was told in two ways",
    "I4 an occurrence was never delivered (delivered)",
    "I4 first tries of one event came out of order: one tried (event.published: ) after one tried (event.published: )",
    "I4 event.published: told and not stored",
  ])
})

test("arrivals and departures that do not alternate are found", async () => {
  const endpoint = newId()
  await sql`insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed)
    values (${endpoint}, ${workspaceId}, 'http://127.0.0.1', '{}', '')`
  const tell = async (participantId: string, what: "joined" | "left", at: number) => {
    const id = newId()
    await sql`insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
      values (${id}, ${workspaceId}, ${eventId}, ${`participant.${what}`}, ${JSON.stringify({ participantId })}, ${new Date(at)})`
    await sql`insert into webhook_deliveries (id, message_id, endpoint_id, event_id, status)
      values (${newId()}, ${id}, ${endpoint}, ${eventId}, 'delivered')`
  }
  await tell("ada", "joined", 1000)
  await tell("ada", "left", 2000)
  await tell("ada", "joined", 3000)
  await tell("ada", "joined", 9000)
  await tell("ben", "joined", 1000)
  await tell("eve", "left", 9000)
  const { ledger, whole } = inspection()
  await checkArrivals(whole)
  expect(found(ledger)).toEqual([
    "I4 participant.joined again without a left",
    "I4 participant.left of somebody who was not there",
  ])
})

test("the report counts losses under the fault in which they happened", () => {
  const ledger = new Ledger()
  ledger.during = "kill"
  ledger.ask("chat", "a", eventId)
  ledger.acknowledge("chat", "a")
  ledger.violate("I1", "chat: acknowledged and not there")
  const struck = [{ fault: "kill", ms: 900, firstMs: 1500, allMs: 1600, darkMs: [900, 2100] }]
  const answers = [
    "REST: 200",
    "REST: 503",
    "REST: no answer (reset)",
    "commands: forbidden",
    "commands: unavailable, asked again",
  ]
  for (const answer of answers) ledger.count(answer)
  const report = reportOf("Seed 1", [
    { database: "external", nodes: 3, sideBySide: undefined, ledger, counted: ledger.counts, struck, log: new Map() },
  ])
  expect(report).toContain("| kill -9 of the server, and a start | 1 | 1 | 1 | 0 | 0 | 1.5 | 1.5 | 1.5 |")
  expect(report).toContain("| kill -9 of the server, and a start | 2 | 0.9 | 2.1 |")
  expect(report).toContain(
    "Client errors: REST: 503 1; REST: no answer (reset) 1; commands: unavailable, asked again 1.",
  )
  expect(report).toContain("- 1 x I1 during kill: chat: acknowledged and not there")
})

test("health checks choose the next node that is ready, and one that answers when none is", async () => {
  const statuses = [503, 503, 200]
  const listen = async (node: number): Promise<Server> => {
    const server = createServer((_, response) => void response.writeHead(statuses[node] ?? 500).end())
    await once(server.listen(0, "127.0.0.1"), "listening")
    return server
  }
  const servers = await Promise.all(statuses.map((_, node) => listen(node)))
  const health = startHealthChecks(
    servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  )
  onTestFinished(() => {
    health.stop()
    for (const server of servers) server.close().closeAllConnections()
  })
  await expect.poll(() => [0, 1, 2].map(health.from)).toEqual([2, 2, 2])
  statuses[2] = 503
  statuses[1] = 200
  await expect.poll(() => [0, 1, 2].map(health.from)).toEqual([1, 1, 1])
  statuses[1] = 503
  await expect.poll(() => [0, 1, 2].map(health.from)).toEqual([0, 1, 2])
  servers[0]?.close().closeAllConnections()
  await expect.poll(() => [0, 1, 2].map(health.from)).toEqual([1, 1, 2])
})

test("a replaced node gets its share of the sockets and no more", () => {
  const nodes = [0, 0, 1, 1, 1, 1, 2, 2, 2]
  const moved: Array<number> = []
  const clients = nodes.map((node) => ({ node, cut: (to: number) => moved.push(to) }) as unknown as Client) // all that counts
  moveSocketsTo(0, 3, clients, new Chance(1))
  expect(moved).toEqual([0])
  moveSocketsTo(1, 3, clients, new Chance(1))
  expect(moved).toEqual([0])
})
