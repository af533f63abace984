/** A media server of a test, with its browsers. */
import { onTestFinished } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import type { SlotContent } from "../../src/sfu/forwarding/room.ts"
import { Sfu } from "../../src/sfu/sfu.ts"
import { SfuClient, type SfuClientOptions } from "./sfu-client.ts"

export interface SfuHouse {
  readonly sfu: Sfu
  /** By browser: what its slots show. */
  readonly slots: Map<string, ReadonlyArray<SlotContent>>
  readonly connected: Array<string>
  readonly closed: Array<string>
  readonly speakers: Array<ReadonlyArray<string>>
  /** A browser that has made its offer. */
  readonly invite: (id: string, options?: SfuClientOptions, room?: string) => { client: SfuClient; answer: string }
  /** A browser that is connected. */
  readonly join: (id: string, options?: SfuClientOptions, room?: string) => Promise<SfuClient>
}

export const openSfu = async (): Promise<SfuHouse> => {
  const house = { slots: new Map(), connected: [], closed: [], speakers: [] } as Pick<
    SfuHouse,
    "slots" | "connected" | "closed" | "speakers"
  >
  const sfu = await Sfu.listen(
    { port: 0, addresses: ["127.0.0.1"], timers: systemTimers },
    {
      onSlots: (peer, slots) => house.slots.set(peer, slots),
      onSpeakers: (speakers) => house.speakers.push(speakers),
      onConnected: (peer) => house.connected.push(peer),
      onClosed: (peer) => house.closed.push(peer),
    },
  )
  onTestFinished(() => sfu.close())
  const invite: SfuHouse["invite"] = (id, options, room = "room") => {
    const client = new SfuClient(options)
    onTestFinished(() => client.close())
    return { client, answer: sfu.offer(room, id, client.offer, true) }
  }
  const join: SfuHouse["join"] = async (id, options, room) => {
    const { client, answer } = invite(id, options, room)
    await client.connect(answer, sfu.port)
    return client
  }
  return { ...house, sfu, invite, join }
}
