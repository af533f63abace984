/** Deploys under load behind the shipped proxies: nothing that people or integrators do fails. */
import { expect, onTestFinished, test } from "vitest"
import { startDeployment } from "./support/deployment.ts"
import { startLoad } from "./support/load.ts"

/** `DRILL_ROUNDS`: how often each node is restarted. CI has time for one. */
const ROUNDS = Number(process.env["DRILL_ROUNDS"] ?? 10)
/** Of all rounds. */
const MOST_LOST = 1
/** What the proxy logged of requests that failed. */
const failedIn = (log: string): string =>
  log
    .split("\n")
    .filter((line) => /" 50[0-9] |"status":50[0-9]/.test(line))
    .slice(0, 20)
    .join("\n")

/** As long as a node takes to stop, to start and to get its shards, on a busy machine. */
const ROUND_MS = 120_000

test.each(["nginx", "haproxy", "caddy"] as const)(
  "behind %s no request and no command fails while two nodes restart one after the other",
  async (name) => {
    const deployment = await startDeployment(onTestFinished, name, 2)
    onTestFinished(() => deployment.stop())
    const load = await startLoad(deployment.url)
    for (let round = 0; round < ROUNDS; round++) {
      await deployment.restart(0)
      await deployment.restart(1)
    }
    const { failures, wrong, ...counts } = await load.end()
    console.log(`${name}: ${JSON.stringify(counts)}`)
    expect({ failures, wrong }, failedIn(deployment.proxy.log())).toEqual({ failures: [], wrong: [] })
    expect(counts.requests).toBeGreaterThan(ROUNDS * 100)
    expect(counts.commands).toBeGreaterThan(ROUNDS)
  },
  (ROUNDS + 1) * ROUND_MS,
)

test.each(["haproxy", "caddy"] as const)(
  "behind %s requests to one server wait for its restart, and commands are kept",
  async (name) => {
    const deployment = await startDeployment(onTestFinished, name, 1)
    onTestFinished(() => deployment.stop())
    const load = await startLoad(deployment.url)
    for (let round = 0; round < ROUNDS; round++) await deployment.restart(0)
    const { failures, wrong, ...counts } = await load.end()
    console.log(`${name} before one server: ${JSON.stringify(counts)}, lost: ${JSON.stringify(failures)}`)
    const answered = failures.filter((failure) => !failure.includes("was not answered"))
    expect({ answered, wrong }, failedIn(deployment.proxy.log())).toEqual({ answered: [], wrong: [] })
    // One that came within microseconds of the close (`closing-port.test.ts`).
    expect(failures.length).toBeLessThanOrEqual(MOST_LOST)
  },
  (ROUNDS + 1) * ROUND_MS,
)
