/**
 * REST under load, as it runs in production: with its rate limits, which many keys and addresses keep from refusing anything. With a
 * database: a read, a write and a command of a live event against Fastify 5 doing the same work on the same server, with limits too. Without: a contract route against uWebSockets.js
 * answering the same bytes. Rounds alternate; both sides stay up throughout.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { printRows } from "../support/figures.ts"
import { atLeast, type Goal, type Report, ratio } from "../support/report.ts"
import { AGENDA, call, createLiveEvent, createWorkspace, eventBody } from "../support/rest-calls.ts"
import { PRODUCTION, PROFILE_OPTION, startServerProcess } from "../support/server-process.ts"
import { type HttpSide, httpInTurns, rowsOf } from "../support/turns.ts"
import { storeKeys } from "./keys.ts"

const OPTIONS = {
  rounds: { fallback: 5, quick: 1, doc: "Rounds of each side, in turns." },
  seconds: { fallback: 3, quick: 1, doc: "Length of a round." },
  connections: { fallback: 32, doc: "Keep-alive connections, one request in flight on each." },
  pool: { fallback: 10, doc: "Database connections of each side." },
  events: { fallback: 500, doc: "Events that are read in turn." },
  live: { fallback: 100, doc: "Live events that take commands in turn." },
  only: { fallback: 0, doc: "1 GET, 2 POST, 3 commands, 4 the route without a database; 0 all." },
  ...PROFILE_OPTION,
}

const WARM_UP_SECONDS = 2
/** A key may send 100 requests a second. A prime number, so that each event is read by all of them. */
const KEYS = 127
const KEYS_PER_LIST = 50
/** An address may send 200 requests a second that need no key. */
const ADDRESSES = 2000
const NO_DATABASE_ROUTE = "/v1/errors/bad_request"

const ANNOUNCEMENT = JSON.stringify({ t: "announce", d: { text: "Doors close in five minutes." } })

const request = (method: string, path: string, headers: ReadonlyArray<string>, body = ""): string => {
  const length = body === "" ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`]
  return [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1", ...headers, ...length, "", body].join("\r\n")
}

const report = (what: string, sides: ReadonlyArray<HttpSide>, measured: Awaited<ReturnType<typeof httpInTurns>>) => {
  console.log(what)
  const rows = rowsOf(sides, measured, ["perSecond", "perCpuSecond", "postgresUs", "p99Ms"])
  printRows([["", "requests/s", "requests per CPU second", "PostgreSQL us per request", "p99 ms"], ...rows])
  console.log("")
  const [ours, peer] = measured
  if (ours === undefined || peer === undefined) throw new Error("two sides are needed")
  return {
    cpu: ratio("per CPU second", ours.perCpuSecond, peer.perCpuSecond),
    rate: ratio("per second", ours.perSecond, peer.perSecond),
  }
}

/** The answer of the contract's route, which the peer gives too. */
const fixedAnswer = async (url: string) => {
  const response = await fetch(url + NO_DATABASE_ROUTE)
  // The engine writes these two itself on both sides.
  const headers = [...response.headers].filter(
    ([name]) => name !== "content-length" && name !== "uwebsockets" && name !== "date",
  )
  return { path: NO_DATABASE_ROUTE, status: "200 OK", headers, body: await response.text() }
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const databases = await startDatabases(defer)
  const databaseUrl = await databases.create("migrated")
  const server = await startServerProcess(
    {
      environment: { ...PRODUCTION, DATABASE_URL: databaseUrl, DATABASE_POOL: String(options.pool) },
      profile: options.profile,
    },
    defer,
  )
  const fastify = await startChild(new URL("./fastify-peer.js", import.meta.url), defer)
  const uws = await startChild(new URL("./raw-uws-peer.js", import.meta.url), defer)
  const loader = await startChild(new URL("../support/http-load.js", import.meta.url), defer)
  const workspace = await createWorkspace(server.url)
  const keys = await storeKeys(databaseUrl, workspace.id, KEYS)
  const keyOf = (index: number): string => keys[index % KEYS] ?? ""
  const ids: string[] = []
  for (let n = 0; n < options.events; n++) {
    ids.push((await call(server.url, "POST", "/v1/events", { key: keyOf(n), body: eventBody() })).id)
  }
  const live: string[] = []
  for (let n = 0; n < options.live; n++) live.push(await createLiveEvent(server.url, keyOf(n)))
  const ours: HttpSide = { name: "Gathercue", pid: server.pid, port: server.port }
  const port = await fastify.call<number>("start", { databaseUrl, pool: options.pool })
  const withDatabase = [ours, { name: "Fastify 5", pid: fastify.pid, port }]
  const rawPort = await uws.call<number>("start", await fixedAnswer(server.url))
  const withoutDatabase = [ours, { name: "raw uWebSockets.js", pid: uws.pid, port: rawPort }]

  /** Each request of the list comes by another key, and of the events each comes by many. */
  const inTurn = (count: number, make: (index: number, auth: ReadonlyArray<string>) => string) =>
    Array.from({ length: count }, (_, index) => make(index, [`x-api-key: ${keyOf(index)}`]))
  const cases = [
    {
      what: "GET",
      title: "GET /v1/events/{id}",
      sides: withDatabase,
      requests: inTurn(KEYS * KEYS_PER_LIST, (n, auth) => request("GET", `/v1/events/${ids[n % ids.length]}`, auth)),
      goal: 1.3,
    },
    {
      what: "POST",
      title: `POST /v1/events with ${AGENDA.length} phases`,
      sides: withDatabase,
      requests: inTurn(KEYS, (_, auth) => request("POST", "/v1/events", auth, JSON.stringify(eventBody()))),
      goal: 1.2,
    },
    {
      what: "commands",
      title: "POST /v1/events/{id}/commands with an announcement",
      sides: withDatabase,
      requests: inTurn(KEYS * KEYS_PER_LIST, (n, auth) =>
        request("POST", `/v1/events/${live[n % live.length]}/commands`, auth, ANNOUNCEMENT),
      ),
      goal: 1,
    },
    {
      what: "no database",
      title: `GET ${NO_DATABASE_ROUTE}`,
      sides: withoutDatabase,
      requests: Array.from({ length: ADDRESSES }, (_, n) =>
        request("GET", NO_DATABASE_ROUTE, [`x-forwarded-for: 10.0.${n >> 8}.${n & 255}`]),
      ),
      goal: 0.5,
    },
  ].filter((_, index) => options.only === 0 || options.only === index + 1)
  const ratios: string[] = []
  const goals: Goal[] = []
  const rounds = { ...options, warmUpSeconds: WARM_UP_SECONDS }
  for (const { what, title, sides, requests, goal } of cases) {
    const { cpu, rate } = report(title, sides, await httpInTurns(loader, sides, databases.pid, requests, rounds))
    ratios.push(`${what} ${cpu.text}, ${rate.text}`)
    goals.push(atLeast(`${what} per CPU second`, cpu.value, goal, "x"))
  }
  console.log(`${options.rounds} rounds of ${options.seconds} s each; median (min..max)`)
  return { peer: "Fastify 5 and raw uWebSockets.js", ratios, goals }
}

export const rest = defineBenchmark({
  summary:
    "Requests per second and per CPU second, in production mode, against Fastify 5 with a database and raw uWebSockets.js without.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
