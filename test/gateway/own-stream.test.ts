/** A participant's own stream, whose history is kept by nobody once it is past: it is continued exactly, or begun anew. */
import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { forgetPublications } from "../../src/store/live/live-history.ts"
import type { Client } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

const forgetAll = (house: House) => forgetPublications(house.actors.sql, toTimestamp(Date.now() + 60_000), 1_000)

interface Held {
  readonly epoch: string
  readonly cursors: { readonly [stream: string]: number }
}

/** The positions of a client that has received everything sent to it. */
const heldBy = (client: Client): Held => {
  const { epoch, cursors } = client.received.find(({ t }) => t === "ready").d
  const last = (stream: string) => client.ordered(stream).at(-1)?.s ?? cursors[stream]
  return { epoch, cursors: { event: last("event"), people: last("people"), me: last("me") } }
}

const resume = async (house: House, stage: Stage, who: string, { epoch, cursors }: Held) => {
  const client = house.connect()
  const { d } = await client.identify(await house.token(stage, who), { epoch, cursors })
  return { client, d }
}

const raiseAndLower = async (client: Client): Promise<void> => {
  for (const command of ["hand.raise", "hand.lower"]) {
    await client.command(command, {}, { id: newId() })
    await client.next(({ st, t }) => st === "me" && t === "me.hand", `${command} in their own stream`)
  }
}

/** What is told to all may still be under way to the client when the server ends: the client has received that too. */
const withHeads = async ({ actors: { sql } }: House, { epoch, cursors }: Held): Promise<Held> => {
  const heads = await sql<{ stream: string; s: number }[]>`
    select stream, s from stream_heads where stream in ('event', 'people')`
  return { epoch, cursors: { ...cursors, ...Object.fromEntries(heads.map(({ stream, s }) => [stream, Number(s)])) } }
}

/** A server whose event is activated elsewhere, the positions of a client with two dispatches of their own, and the server after it. */
const afterCrash = async (
  body: (given: { house: House; stage: Stage; held: Held }) => Promise<void>,
  { forget }: { readonly forget: boolean },
): Promise<void> => {
  let isOwner = true
  const first = await openHouse({}, { holds: () => isOwner })
  try {
    const stage = await first.stage()
    const client = await first.join(stage, "ada")
    await raiseAndLower(client)
    const received = heldBy(client)
    isOwner = false
    if (forget) await forgetAll(first)
    const held = forget ? await withHeads(first, received) : received
    const second = await openHouse({}, { node: "second" }, first.databaseUrl)
    try {
      await body({ house: second, stage, held })
    } finally {
      await second.stop()
    }
  } finally {
    await first.stop()
  }
}

const withMe = ({ epoch, cursors }: Held, me: number): Held => ({ epoch, cursors: { ...cursors, me } })

test("its missed dispatches are replayed by another process, from the store", () =>
  afterCrash(
    async ({ house, stage, held }) => {
      expect(held.cursors["me"]).toBe(2)
      const { client, d } = await resume(house, stage, "ada", withMe(held, 1))
      expect(d).toMatchObject({ resumed: true, cursors: { me: 1 } })
      await client.dispatch("caughtUp")
      expect(client.ordered("me").map(({ s, t }) => [s, t])).toEqual([[2, "me.hand"]])
    },
    { forget: false },
  ))

test("where nothing of it is kept but how far it came its numbers go on; a place before that is expired, one that never was is a gap, and either is begun anew", () =>
  afterCrash(
    async ({ house, stage, held }) => {
      const behind = await resume(house, stage, "ada", withMe(held, 1))
      expect(behind.d).toMatchObject({ resumed: false, reason: "expired", cursors: { me: 2 } })
      const ahead = await resume(house, stage, "ada", withMe(held, 3))
      expect(ahead.d).toMatchObject({ resumed: false, reason: "gap", cursors: { me: 2 } })
      const other = await house.join(stage, "bob")
      expect(other.received.find(({ t }) => t === "ready").d.cursors.me).toBe(0)
      const { client, d } = await resume(house, stage, "ada", held)
      expect(d).toMatchObject({ resumed: true, cursors: { me: 2 } })
      await raiseAndLower(client)
      expect(client.ordered("me").map(({ s }) => s)).toEqual([3, 4])
    },
    { forget: true },
  ))

test("somebody who comes and goes is continued exactly, whatever the gateway has let go of meanwhile", async () => {
  const house = await openHouse({ historyMs: 20, sweepMs: 5 })
  try {
    const stage = await house.stage()
    let client = await house.join(stage, "ada")
    for (let round = 1; round <= 6; round++) {
      await raiseAndLower(client)
      const held = heldBy(client)
      expect(held.cursors["me"]).toBe(2 * round)
      await client.cut()
      const next = await resume(house, stage, "ada", held)
      expect(next.d.cursors.me).toBe(2 * round)
      client = next.client
    }
  } finally {
    await house.stop()
  }
})
