/**
 * The lists of REST over a million rows each, on a server in production mode: the first page, pages in the middle, and both with each filter.
 * The limit beside each figure is the same statement through our pool alone, with as many at once, without HTTP.
 */
import { Pool } from "../../src/store/pool/pool.ts"
import { type Bench, defineBenchmark } from "../benchmark.ts"
import { storeKeys } from "../rest/keys.ts"
import { type Child, startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { number, percentile, printRows, spread, spreadOf } from "../support/figures.ts"
import type { HttpLoad, HttpLoadResult } from "../support/http-load.ts"
import { atMost, type Report } from "../support/report.ts"
import { call, createWorkspace, eventBody } from "../support/rest-calls.ts"
import { PRODUCTION, PROFILE_OPTION, type ServerProcess, startServerProcess } from "../support/server-process.ts"
import { casesOf, type ListCase } from "./pages.ts"
import { storeRows } from "./rows.ts"

const OPTIONS = {
  rows: { fallback: 1_000_000, quick: 20000, doc: "Rows of each list." },
  rounds: { fallback: 3, quick: 1, doc: "Rounds of REST and of the statement alone, in turns." },
  seconds: { fallback: 1, quick: 0.3, doc: "Length of a round." },
  atOnce: { fallback: 4, doc: "Requests or statements at once." },
  pool: { fallback: 10, doc: "Database connections of each side." },
  ...PROFILE_OPTION,
}

interface Timed {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly refused: number
}

interface Measured {
  readonly list: ListCase
  /** Rows of the page: fewer than a hundred where a filter leaves no more. */
  readonly shown: number
  readonly rest: Timed[]
  readonly alone: Timed[]
}

/** A key may send 100 requests a second. A prime number, so that each page is asked for by all of them. */
const KEYS = 127
/** A statement without an index to go by may take as long as it needs, so that its figure is seen. */
const DEADLINE_MS = 60_000
const WARM_UP_SECONDS = 0.2
/** Statements that may wait: there are never more than there are connections. */
const WAITING = 100

interface House {
  readonly server: ServerProcess
  readonly pool: Pool
  readonly loader: Child
  readonly keys: ReadonlyArray<string>
  readonly cases: ReadonlyArray<ListCase>
}

const openHouse = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<House> => {
  const databases = await startDatabases(defer)
  const url = await databases.create("migrated")
  const environment = { ...PRODUCTION, DATABASE_URL: url, DATABASE_POOL: String(options.pool) }
  const server = await startServerProcess({ environment, profile: options.profile }, defer)
  const workspace = await createWorkspace(server.url)
  const keys = await storeKeys(url, workspace.id, KEYS)
  const { id: eventId } = await call(server.url, "POST", "/v1/events", { key: workspace.key, body: eventBody() })
  const stored = await storeRows(url, { workspaceId: workspace.id, eventId, rows: options.rows })
  const pool = new Pool({ url, connections: options.pool, waiting: WAITING, deadlineMs: DEADLINE_MS })
  defer(() => pool.close(0))
  const loader = await startChild(new URL("../support/http-load.js", import.meta.url), defer)
  return { server, pool, loader, keys, cases: casesOf({ ...stored, workspaceId: workspace.id }) }
}

const overRest = async (
  { server, loader, keys }: House,
  { paths }: ListCase,
  { seconds, atOnce }: Bench<typeof OPTIONS>["options"],
): Promise<Timed> => {
  const requests = Array.from(
    { length: keys.length * paths.length },
    (_, n) =>
      `GET ${paths[n % paths.length]} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${keys[n % keys.length]}\r\n\r\n`,
  )
  const load: HttpLoad = { port: server.port, connections: atOnce, seconds, requests }
  return loader.call<HttpLoadResult>("run", load)
}

const alone = async (
  { pool }: House,
  { statements }: ListCase,
  { seconds, atOnce }: Bench<typeof OPTIONS>["options"],
): Promise<Timed> => {
  const took: number[] = []
  let next = 0
  const until = performance.now() + seconds * 1000
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const startedAt = performance.now()
      await statements[next++ % statements.length]?.(pool.sql)
      took.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), refused: 0 }
}

/** The number of rows of the page. */
const shownBy = async ({ server, keys }: House, { what, page, paths }: ListCase): Promise<number> => {
  const response = await fetch(server.url + (paths[0] ?? ""), { headers: { "x-api-key": keys[0] ?? "" } })
  const text = await response.text()
  // A list that takes too long is answered 503: that is counted below.
  if (response.status === 503) return 0
  if (response.status !== 200) throw new Error(`${what}, ${page}: ${response.status} ${text}`)
  const rows = Object.values(JSON.parse(text)).find(Array.isArray)
  return rows?.length ?? 0
}

const figures = (timed: ReadonlyArray<Timed>, figure: keyof Timed): ReadonlyArray<number> =>
  timed.map((one) => one[figure])

const median = (timed: ReadonlyArray<Timed>, figure: keyof Timed): number => spreadOf(figures(timed, figure)).median

const rowOf = ({ list, shown, rest, alone: statement }: Measured): ReadonlyArray<string> => [
  list.what,
  list.page,
  number(shown),
  spread(figures(rest, "p50Ms")),
  spread(figures(rest, "p99Ms")),
  spread(figures(rest, "refused")),
  spread(figures(statement, "p50Ms")),
  spread(figures(statement, "p99Ms")),
  `${(median(rest, "p50Ms") / median(statement, "p50Ms")).toFixed(2)}x`,
]

const reportOf = (measured: ReadonlyArray<Measured>): Report => {
  const ratios = measured.map(({ rest, alone: statement }) => median(rest, "p50Ms") / median(statement, "p50Ms"))
  const { median: middle, max } = spreadOf(ratios)
  const slowest = Math.max(...measured.map(({ rest }) => median(rest, "p99Ms")))
  const refused = measured.flatMap(({ rest }) => figures(rest, "refused")).reduce((sum, n) => sum + n, 0)
  return {
    peer: "the statement alone (p50, lower is better)",
    ratios: [`median of all pages ${middle.toFixed(2)}x`, `most ${max.toFixed(2)}x`],
    goals: [atMost("p99 of the slowest page", slowest, 100, "ms"), atMost("refused", refused, 0, "requests")],
  }
}

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { options } = bench
  const house = await openHouse(bench)
  const measured: Measured[] = []
  for (const list of house.cases) measured.push({ list, shown: await shownBy(house, list), rest: [], alone: [] })
  // Before the first round, so that it is like the others.
  for (const { list } of measured) await overRest(house, list, { ...options, seconds: WARM_UP_SECONDS })
  for (let round = 0; round < options.rounds; round++) {
    for (const { list, rest, alone: statement } of measured) {
      rest.push(await overRest(house, list, options))
      statement.push(await alone(house, list, options))
    }
  }
  console.log("")
  printRows([
    [
      `${number(options.rows)} rows each`,
      "page",
      "rows",
      "p50 ms",
      "p99 ms",
      "refused",
      "statement p50 ms",
      "p99 ms",
      "p50 ratio",
    ],
    ...measured.map(rowOf),
  ])
  console.log(
    `\n${options.rounds} rounds of ${options.seconds} s, ${options.atOnce} at once, pages of 100; median (min..max)`,
  )
  return reportOf(measured)
}

export const lists = defineBenchmark({
  summary:
    "The lists of REST over a million rows: first pages, pages in the middle and filters, against the statements alone.",
  options: OPTIONS,
  limitSeconds: 1200,
  run,
})
