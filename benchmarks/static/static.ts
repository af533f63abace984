/**
 * The pages and descriptions that are the same for everybody, on a server in production mode: asked for plainly, and by a client that takes
 * compressed bodies. The ceiling is uWebSockets.js sending the same bytes from one route. Rounds alternate.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { FixedAnswer } from "../rest/raw-uws-peer.ts"
import { type Child, startChild } from "../support/child.ts"
import { startDatabases } from "../support/database.ts"
import { number, printRows } from "../support/figures.ts"
import { type Report, ratio } from "../support/report.ts"
import { PRODUCTION, PROFILE_OPTION, startServerProcess } from "../support/server-process.ts"
import { type HttpSide, httpInTurns, rowsOf } from "../support/turns.ts"
import { type Answer, answerTo, headerOf } from "./answer.ts"

const OPTIONS = {
  rounds: { fallback: 3, quick: 1, doc: "Rounds of each side, in turns." },
  seconds: { fallback: 3, quick: 0.5, doc: "Length of a round." },
  connections: { fallback: 16, doc: "Keep-alive connections, one request in flight on each." },
  ...PROFILE_OPTION,
}

const PATHS = ["/v1/docs", "/v1/openapi.json", "/v1/asyncapi.json"]
const WAYS = [
  { what: "plain", header: [] },
  { what: "gzip, br", header: ["accept-encoding: gzip, br"] },
]
/** Each comes from another address, as readers do; an address may send 200 requests a second that need no key. */
const ADDRESSES = 2000
const WARM_UP_SECONDS = 0.5
/** uWebSockets.js writes these itself on both sides. */
const OF_THE_ENGINE = ["content-length", "uwebsockets", "date"]

const request = (path: string, headers: ReadonlyArray<string>, n = 0): string =>
  [`GET ${path} HTTP/1.1`, "host: 127.0.0.1", `x-forwarded-for: 10.0.${n >> 8}.${n & 255}`, ...headers, "", ""].join(
    "\r\n",
  )

const startPeer = async (peer: Child, path: string, { status, headers, body }: Answer): Promise<HttpSide> => {
  const fixed: FixedAnswer = { path, status, headers: headers.filter(([name]) => !OF_THE_ENGINE.includes(name)), body }
  return { name: "raw uWebSockets.js", pid: peer.pid, port: await peer.call<number>("start", fixed) }
}

const run = async ({ options, defer }: Bench<typeof OPTIONS>): Promise<Report> => {
  const databases = await startDatabases(defer)
  const environment = { ...PRODUCTION, DATABASE_URL: await databases.create("migrated") }
  const server = await startServerProcess({ environment, profile: options.profile }, defer)
  const peer = await startChild(new URL("../rest/raw-uws-peer.js", import.meta.url), defer)
  const loader = await startChild(new URL("../support/http-load.js", import.meta.url), defer)
  const ours: HttpSide = { name: "Gathercue", pid: server.pid, port: server.port }
  const rows: ReadonlyArray<string>[] = []
  const ratios: string[] = []
  const rounds = { ...options, warmUpSeconds: WARM_UP_SECONDS }
  for (const path of PATHS) {
    for (const { what, header } of WAYS) {
      const answer = await answerTo(server.port, request(path, header))
      if (!answer.status.startsWith("200")) throw new Error(`GET ${path}: ${answer.status}`)
      const sides = [ours, await startPeer(peer, path, answer)]
      const requests = Array.from({ length: ADDRESSES }, (_, n) => request(path, header, n))
      const measured = await httpInTurns(loader, sides, databases.pid, requests, rounds)
      const about = [headerOf(answer, "content-encoding") ?? "none", number(answer.bytes)]
      for (const [name = "", ...figures] of rowsOf(sides, measured, ["perSecond", "perCpuSecond", "p99Ms"])) {
        rows.push([`${path}, ${what}: ${name}`, ...about, ...figures])
      }
      const [mine, raw] = measured
      if (mine === undefined || raw === undefined) continue
      ratios.push(ratio(`${path}, ${what}`, mine.perCpuSecond, raw.perCpuSecond).text)
    }
  }
  printRows([["", "encoding", "bytes", "requests/s", "requests per CPU second", "p99 ms"], ...rows])
  console.log(
    `\n${options.rounds} rounds of ${options.seconds} s each; median (min..max); bytes of an answer with its head`,
  )
  return { peer: "raw uWebSockets.js sending the same bytes, per CPU second", ratios }
}

export const staticPages = defineBenchmark({
  summary:
    "The documentation page and both descriptions: requests per CPU second and bytes sent, plain and compressed.",
  options: OPTIONS,
  limitSeconds: 300,
  run,
})
