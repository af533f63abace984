/** Deploys under load behind the shipped proxies: nothing that people or integrators do fails. */
import { expect, onTestFinished, test } from "vitest"
import { startDeployment } from "./support/deployment.ts"
import { CALLERS, startLoad } from "./support/load.ts"

/** `DRILL_ROUNDS`: how often each node is restarted. CI has time for one. */
const ROUNDS = Number(process.env["DRILL_ROUNDS"] ?? 10)
/** What the proxy logged of requests that failed. */
const failedIn = (log: string): string =>
  log
    .split("\n")
    .filter((line) => /[ :]50[0-9][ ,]/.test(line))
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

test(
  "behind haproxy requests to one server wait for its restart, but for those that arrive as its port closes",
  async () => {
    const deployment = await startDeployment(onTestFinished, "haproxy", 1)
    onTestFinished(() => deployment.stop())
    const load = await startLoad(deployment.url)
    for (let round = 0; round < ROUNDS; round++) await deployment.restart(0)
    const { failures, wrong, ...counts } = await load.end()
    console.log(`haproxy before one server: ${JSON.stringify(counts)}`)
    const answered = failures.filter((failure) => !failure.includes("was not answered"))
    expect({ answered, wrong }, failedIn(deployment.proxy.log())).toEqual({ answered: [], wrong: [] })
    // Those of one moment: the port closed before the server took their connections.
    expect(failures.length).toBeLessThanOrEqual(ROUNDS * CALLERS)
  },
  (ROUNDS + 1) * ROUND_MS,
)
