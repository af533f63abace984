/** The reference client against the real server: whatever is cut and driven meanwhile, all end with the server's state. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { layCable } from "../../demo/cable.ts"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import type { Phase } from "../../src/model/phase.ts"
import { call, createLiveEvent, createPerson, gatewayToken } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const PHASES = [
  { modality: "broadcast", config: { durationSeconds: 600 } },
  { modality: "breakout", config: { durationSeconds: 600 } },
  { modality: "meeting" },
]

type Act = "advance" | "extend" | "announce" | "append" | "cut" | "tab"

test("after any mix of commands, cuts and tabs, every client has exactly the server's phases, timers and people", async () => {
  const acts = fc
    .array(fc.constantFrom<Act>("advance", "extend", "announce", "append", "cut", "cut", "tab"), {
      minLength: 4,
      maxLength: 14,
    })
    // A participant has five places; a cut connection may hold its own until the server notices.
    .filter((chosen) => chosen.filter((act) => act === "tab").length <= 2)
  await fc.assert(fc.asyncProperty(acts, play), { numRuns: 6, endOnFailure: true })
})

const play = async (acts: ReadonlyArray<Act>): Promise<void> => {
  const event = await createLiveEvent(server.url, acme.key, { phases: PHASES })
  const cable = await layCable(server.url)
  const host = await createPerson(server.url, acme.key, event.id, "host")
  const clients: GatewayClient[] = []
  const join = async (session?: string) => {
    const client = new GatewayClient({
      token: async () => {
        const grant = await gatewayToken(server.url, event.id, session).catch((cause: unknown) => {
          // The event has ended: a client that cannot have a token asks for one again and again.
          client.close()
          throw cause
        })
        return { ...grant, url: cable.through(grant.url) }
      },
      backoff: { firstMs: 30, longestMs: 200 },
    })
    clients.push(client)
    await client.connect()
    return client
  }
  try {
    const driver = await join(host.session)
    const viewers = [await join(), await join(), await join()]
    const path = `/v1/events/${event.id}`
    const deeds: { readonly [A in Act]: () => Promise<unknown> } = {
      advance: () => call(server.url, "POST", `${path}/advance`, { key: acme.key, body: {} }),
      extend: () =>
        driver.command("timer.extend", { timerId: driver.state?.timers[0]?.id ?? event.activePhaseId, seconds: 10 }),
      announce: () => driver.command("announce", { text: "hello" }),
      append: () => call(server.url, "POST", `${path}/phases`, { key: acme.key, body: { modality: "meeting" } }),
      cut: async () => void cable.pull(),
      tab: async () => (await join(host.session)).close(),
    }
    // Not one after the other: cuts land in the middle of commands.
    await Promise.allSettled(acts.map((act) => deeds[act]()))
    const truth = await call(server.url, "GET", path, { key: acme.key })
    if (truth.body.status === "live") await expectAllEqual([driver, ...viewers], truth.body)
  } finally {
    for (const client of clients) client.close()
    await cable.close()
  }
}

const expectAllEqual = async (
  clients: ReadonlyArray<GatewayClient>,
  truth: { readonly phases: ReadonlyArray<Phase> },
): Promise<void> => {
  const expected = truth.phases
  const phasesOf = (client: GatewayClient) => client.state?.phases.map(({ rev: _rev, ...phase }) => phase)
  const isSettled = (client: GatewayClient) =>
    client.status === "ready" &&
    client.state?.presence.total === clients.length &&
    JSON.stringify(phasesOf(client)) === JSON.stringify(expected)
  await eventually(() => clients.every(isSettled), "everyone having the server's state").catch((cause: unknown) => {
    const found = clients.map((client) => [client.status, client.state?.presence.total, phasesOf(client)])
    throw new Error(`${String(cause)}: ${JSON.stringify({ found, expected })}`)
  })
  const active = truth.phases.find(({ status, timerEndsAt }) => status === "active" && timerEndsAt !== null)
  for (const { state } of clients) {
    expect(state?.timers.map(({ id, endsAt }) => [id, endsAt])).toEqual(
      active === undefined ? [] : [[active.id, active.timerEndsAt]],
    )
  }
}
