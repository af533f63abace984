/** The server keeps every promise that the conformance kit checks, and for each promise there is a fault that breaks it alone. */
import { describe, expect, type TestContext, test } from "vitest"
import { checkServer } from "../packages/conformance/src/check-server.ts"
import type { Report } from "../packages/conformance/src/report.ts"
import { SERVER_PROMISES } from "../packages/conformance/src/server-promises.ts"
import { createWorkspace } from "../test/support/api.ts"
import { PATIENCE_MS } from "../test/support/patience.ts"
import { startTestServer } from "../test/support/server.ts"
import { sharedServer, sharedWorkspace } from "../test/support/shared.ts"
import { type Fault, FaultyProxy } from "./support/faulty-proxy.ts"
import { CUTS_WITHOUT_DRAIN, SERVER_FAULTS } from "./support/server-faults.ts"

/** As long as the promise that is broken is waited for: it fails however long that is. */
const FAULT_PATIENCE_MS = 4_000

const server = sharedServer()
const acme = sharedWorkspace(server)

const statesOf = ({ outcomes }: Report) => Object.fromEntries(outcomes.map(({ id, state }) => [id, state]))
const brokenIn = ({ outcomes }: Report) =>
  outcomes.filter(({ state }) => state === "failed").map(({ id, detail }) => `${id}: ${detail}`)

const behind = async ({ onTestFinished }: TestContext, url: string, fault: Fault): Promise<string> => {
  const proxy = new FaultyProxy(url, fault)
  onTestFinished(() => proxy.stop())
  return proxy.listen()
}

/** What a server at the address breaks: one promise is known to be broken, and named alone. */
const brokenAt = async (
  server: { readonly url: string; readonly key: string },
  known: string,
  drain?: () => Promise<void>,
): Promise<ReadonlyArray<string>> => {
  const others = SERVER_PROMISES.map(({ id }) => id).filter((id) => id !== known && id !== "drain")
  const kept = brokenIn(await checkServer({ ...server, only: others, patienceMs: PATIENCE_MS }))
  const own = { ...server, only: [known], patienceMs: FAULT_PATIENCE_MS }
  const broken = brokenIn(await checkServer(drain === undefined ? own : { ...own, drain }))
  return [...kept, ...broken.map((text) => text.slice(0, text.indexOf(":")))]
}

test("this server keeps every promise", async () => {
  const own = await startTestServer()
  const { key } = await createWorkspace(own.url)
  const report = await checkServer({ url: own.url, key, drain: () => own.stop(), patienceMs: PATIENCE_MS })
  expect(brokenIn(report)).toEqual([])
  expect(statesOf(report)).toEqual(Object.fromEntries(SERVER_PROMISES.map(({ id }) => [id, "ok"])))
})

test("a proxy without a fault breaks none of them", async (context) => {
  const report = await checkServer({
    url: await behind(context, server.url, {}),
    key: acme.key,
    patienceMs: PATIENCE_MS,
  })
  expect(brokenIn(report)).toEqual([])
})

describe.concurrent("a fault", () => {
  for (const [promise, fault, make] of SERVER_FAULTS)
    test(`breaks \`${promise}\` alone: the server ${fault}`, async (context) => {
      const url = await behind(context, server.url, make())
      context.expect(await brokenAt({ url, key: acme.key }, promise)).toEqual([promise])
    })

  test("breaks `drain` alone: the server cuts without a word", async (context) => {
    const own = await startTestServer()
    const { key } = await createWorkspace(own.url)
    const url = await behind(context, own.url, CUTS_WITHOUT_DRAIN)
    context.expect(await brokenAt({ url, key }, "drain", () => own.stop())).toEqual(["drain"])
  })
})

test("each promise of a server has a fault", () => {
  const broken = new Set([...SERVER_FAULTS.map(([promise]) => promise), "drain"])
  expect(SERVER_PROMISES.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})
