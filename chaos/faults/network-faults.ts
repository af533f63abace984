/** Faults of the network between the server and PostgreSQL, made by the proxy; with several nodes by all of their proxies. */

import type { Action, Rule } from "../../test/support/postgres-proxy/rules.ts"
import type { PostgresProxy } from "../../test/support/postgres-proxy.ts"
import { type Chance, sleep } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Fault } from "./fault.ts"

type Work = (proxy: PostgresProxy, ms: number, chance: Chance, ledger: Ledger) => Promise<void>

const network = (name: string, summary: string, seconds: Fault["seconds"], work: Work): Fault => ({
  name,
  summary,
  on: "external",
  seconds,
  run: async ({ site, chance, ledger }, ms) => {
    if (site.external === undefined) throw new Error("the fault needs the proxy")
    const strike = async (proxy: PostgresProxy): Promise<void> => {
      await work(proxy, ms, chance, ledger).finally(proxy.heal)
      // A connection that was silent, or swallowed a statement, would stay so: the network's state is lost, and both ends learn it.
      proxy.reset(({ silent }) => silent)
    }
    await Promise.all(site.external.proxies.map(strike))
  },
})

const COMMIT = /commit/
const ANY = /./

/** Everything that matches meets the action with the probability, for as long as the fault lasts. */
const ruled =
  (match: Rule["match"], action: Action, probability: number): Work =>
  async (proxy, ms) => {
    proxy.onStatement({ match, action, probability })
    await sleep(ms)
  }

/** Ends connections again and again: between two of them a server may be ready and commit nothing. */
const again =
  (everyMs: number, strike: (proxy: PostgresProxy, chance: Chance) => void): Work =>
  async (proxy, ms, chance, ledger) => {
    const end = Date.now() + ms
    while (Date.now() < end) {
      strike(proxy, chance)
      ledger.sessionsEnd()
      await sleep(everyMs)
    }
  }

const DISK_FULL = { kind: "fail", code: "53100", message: "could not extend file: No space left on device" } as const
const WRITES = /^\s*(?:insert|update|select commit_live_event|with)/i

export const NETWORK_FAULTS: ReadonlyArray<Fault> = [
  network(
    "reset",
    "all connections to PostgreSQL reset, again and again",
    [1, 6],
    again(500, (proxy) => proxy.reset()),
  ),
  network(
    "half-close",
    "connections to PostgreSQL closed one way",
    [1, 5],
    again(700, (proxy, chance) => proxy.halfClose(chance.is(0.5) ? "client" : "server")),
  ),
  network("commit-reply", "the reply of every second commit cut", [4, 12], ruled(COMMIT, { kind: "cutReply" }, 0.5)),
  network(
    "commit-lost",
    "every fifth commit cut before PostgreSQL",
    [4, 12],
    ruled(COMMIT, { kind: "cutBefore" }, 0.2),
  ),
  network("replies", "one reply of ten cut", [6, 15], ruled(ANY, { kind: "cutReply" }, 0.1)),
  network("half-replies", "one reply of ten cut in its middle", [6, 15], ruled(ANY, { kind: "cutWithinReply" }, 0.1)),
  network("swallow", "one statement of thirty swallowed", [22, 26], ruled(ANY, { kind: "drop" }, 0.03)),
  network("hole", "the open connections fall silent, new ones are fine", [23, 28], async (proxy, ms) => {
    proxy.silence("open")
    await sleep(ms)
    proxy.reset(({ silent }) => silent)
  }),
  network("total-hole", "all connections fall silent, new ones too", [5, 26], async (proxy, ms) => {
    proxy.silence("all")
    await sleep(ms)
    proxy.reset(({ silent }) => silent)
  }),
  network("stall", "the network stands still, and then goes on", [2, 8], async (proxy, ms) => {
    proxy.silence("all")
    await sleep(ms)
  }),
  network("latency", "every reply of PostgreSQL 200 ms later", [5, 10], async (proxy, ms) => {
    proxy.delayReplies(200)
    await sleep(ms)
  }),
  network("disk-full", "PostgreSQL refuses writes: disk full", [5, 12], ruled(WRITES, DISK_FULL, 1)),
]
