/** Calls between browsers as the tests of signalling use them. */
import type { Client, Frame } from "../client.ts"
import { crowd, received } from "../crowd.ts"
import type { House, Stage } from "../house.ts"

export const SOUND = { audio: true, video: false }
export const PICTURE = { audio: true, video: true }

export const joinCall = (client: Client, roomId: string, have: object = PICTURE, resume?: string): Promise<Frame> =>
  client.command("rtc.join", { roomId, have, ...(resume === undefined ? {} : { resume }) })

/** The latest list that a client was sent. */
export const lists = (client: Client): ReadonlyArray<Frame> =>
  client.received.filter(({ op, t }) => op === 0 && t === "rtc.peers").map(({ d }) => d)

export const untilListed = (client: Client, names: ReadonlyArray<string>): Promise<Frame> =>
  client.next(
    ({ op, t, d }) =>
      op === 0 &&
      t === "rtc.peers" &&
      d.peers
        .map((peer: Frame) => peer.participantId)
        .toSorted()
        .join() === names.toSorted().join(),
    `a call of ${names.join(", ")}`,
  )

interface Call {
  readonly stage: Stage
  readonly roomId: string
  readonly clients: ReadonlyArray<Client>
  /** Ids of the clients in the call, in their order. */
  readonly ids: ReadonlyArray<string>
}

/** A meeting whose participants are all in the call of its main room. */
export const callOf = async (house: House, names: ReadonlyArray<string>, have: object = PICTURE): Promise<Call> => {
  const stage = await house.stage([{ modality: "meeting" }])
  const roomId = stage.phaseIds[0] ?? ""
  const clients: ReadonlyArray<Client> = await crowd(house, stage, names)
  const ids: string[] = []
  for (const client of clients) ids.push((await joinCall(client, roomId, have)).d.connectionId)
  for (const client of clients) await untilListed(client, names)
  return { stage, roomId, clients, ids }
}

/** Breakout rooms with two people each, and a host without a room. */
export const breakoutOf = async (house: House, names: ReadonlyArray<string>) => {
  const stage = await house.stage([{ modality: "breakout" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const clients = await crowd(house, stage, names)
  const planned = await host.command("breakout.plan", { strategy: "balanced", size: 2, seed: 1 })
  await host.command("breakout.open", { planId: planned.d.plan.id })
  const rooms: ReadonlyArray<string> = await Promise.all(
    clients.map(async (client) => (await received(client, "assignment.updated")).d.roomId),
  )
  return { stage, host, clients: clients as ReadonlyArray<Client>, rooms }
}
