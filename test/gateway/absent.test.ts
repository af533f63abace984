/** The gateway's memory of absent participants is bounded; that of connected ones is never dropped. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { Connection } from "../../src/gateway/connection/connection.ts"
import { ParticipantMemory } from "../../src/gateway/event/participant-memory.ts"
import { AbsentParticipants } from "../../src/gateway/memory/absent-participants.ts"
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import type { Client } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

const KEPT = 3

let house: House
/** One reaction each while a test runs: a second one shows whether the first is remembered. */
beforeAll(async () => {
  const reactions = { perSecond: 0.001, burst: 1 }
  house = await openHouse({ budgets: { ...GATEWAY_DEFAULTS.budgets, reactions }, absentParticipants: KEPT })
})
afterAll(() => house.stop())

type Kind = "guest" | "anonymous"

const join = (stage: Stage, who: string, kind: Kind): Promise<Client> => house.join(stage, who, "viewer", { kind })

const react = async (client: Client): Promise<"taken" | "rate_limited"> => {
  const { ok, e } = await client.command("reaction.send", { kind: "clap" }, { id: randomUUID() })
  return ok ? "taken" : e.code
}

/** The server has forgotten the socket when the close arrives. */
const leave = async (client: Client): Promise<void> => {
  await client.command("leave")
  await client.closed
}

const visit = async (stage: Stage, who: string, kind: Kind): Promise<string> => {
  const client = await join(stage, who, kind)
  const answer = await react(client)
  await leave(client)
  return answer
}

test("a flood of anonymous people has the oldest of them forgotten, and nobody who is connected or has a name", async () => {
  const stage = await house.stage([{ modality: "broadcast", featureSet: ["reactions"] }])
  const [guest, viewer] = [await join(stage, "guest", "guest"), await join(stage, "viewer", "anonymous")]
  expect([await react(guest), await react(viewer), await visit(stage, "away", "guest")]).toEqual([
    "taken",
    "taken",
    "taken",
  ])
  const flood = Array.from({ length: 4 * KEPT }, (_, n) => `anonymous ${n}`)
  for (const who of flood) expect(await visit(stage, who, "anonymous")).toBe("taken")

  expect([await react(guest), await react(viewer)]).toEqual(["rate_limited", "rate_limited"])
  expect(await visit(stage, "away", "guest")).toBe("rate_limited")
  expect(await visit(stage, flood.at(-1) ?? "", "anonymous")).toBe("rate_limited")
  expect(await visit(stage, flood[0] ?? "", "anonymous")).toBe("taken")
  for (const client of [guest, viewer]) await client.cut()
})

test("of guests with a name as many are remembered", async () => {
  const stage = await house.stage([{ modality: "broadcast", featureSet: ["reactions"] }])
  // The event stays open at the gateway.
  const host = await house.join(stage, "host", "host")
  const flood = Array.from({ length: KEPT + 1 }, (_, n) => `guest ${n}`)
  for (const who of flood) expect(await visit(stage, who, "guest")).toBe("taken")
  expect(await visit(stage, flood[KEPT] ?? "", "guest")).toBe("rate_limited")
  expect(await visit(stage, flood[0] ?? "", "guest")).toBe("taken")
  await host.cut()
})

const SOCKET = { send: () => {}, end: () => {}, terminate: () => {}, subscribe: () => {}, unsubscribe: () => {} }

const OWNER = { left: () => {}, makeReady: () => {}, personal: (_: Connection, text: string) => text }

const connectionOf = (participantId: string): Connection => {
  const connection = new Connection(
    { ...SOCKET, buffered: () => 0 },
    { number: 1, address: "address", openedAt: 0 },
    OWNER,
  )
  connection.apply({ type: "identified", mutes: new Set() })
  const identity = { ...connection.identity, participantId }
  connection.apply({ type: "granted", eventId: "event", identity, basis: undefined, sessionExpiresAt: 9_000 })
  return connection
}

test("commands that are done after their socket closed are bounded, too", () => {
  const absent = new AbsentParticipants(systemTimers, KEPT)
  const memory = new ParticipantMemory({ absent, options: GATEWAY_DEFAULTS, timers: systemTimers }, "event")
  memory.attach([new Set(["connected"])])
  memory.remember(connectionOf("connected").identity, "command", "body")
  for (let n = 0; n < 1000; n++) memory.remember(connectionOf(`${n}`).identity, "command", "body")
  const remembered = Array.from({ length: 1000 }, (_, n) => `${n}`).filter((id) => memory.recent.has(id))
  expect([remembered, absent.size]).toEqual([["997", "998", "999"], KEPT])
  expect(memory.recent.has("connected")).toBe(true)
})

test("the list of the absent is empty once there is nothing left to forget", () => {
  const absent = new AbsentParticipants(systemTimers, KEPT)
  absent.left("a", true, () => {})
  absent.left("b", false, () => {})
  absent.sweep(Date.now() + 60_000)
  expect(absent.size).toBe(2)
  absent.sweep(Date.now() + 121_000)
  expect(absent.size).toBe(0)
})
