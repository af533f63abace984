/** A media server of a test, with its browsers. */
import { expect, onTestFinished } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import type { SlotContent } from "../../src/sfu/forwarding/room.ts"
import { Sfu } from "../../src/sfu/sfu.ts"
import { SfuClient, type SfuClientOptions } from "./sfu-client.ts"

export interface SfuHouse {
  readonly sfu: Sfu
  /** By browser: what its slots show. */
  readonly slots: Map<string, ReadonlyArray<SlotContent>>
  /** A browser that has made its offer. */
  readonly invite: (id: string, options?: SfuClientOptions, room?: string) => { client: SfuClient; answer: string }
  /** A browser that is connected. */
  readonly join: (id: string, options?: SfuClientOptions, room?: string) => Promise<SfuClient>
}

export const openSfu = async (): Promise<SfuHouse> => {
  const house: Pick<SfuHouse, "slots"> = { slots: new Map() }
  const faults: Array<unknown> = []
  const sfu = await Sfu.listen(
    { port: 0, addresses: ["127.0.0.1"], timers: systemTimers },
    {
      onSlots: (_room, peer, _gen, slots) => house.slots.set(peer, slots),
      onPiece: () => undefined,
      onEncoderEnded: () => undefined,
      onFault: (cause) => faults.push(cause),
    },
  )
  onTestFinished(async () => {
    await sfu.close()
    expect(faults).toEqual([])
  })
  let gen = 0
  const invite: SfuHouse["invite"] = (id, options, room = "room") => {
    gen += 1
    const client = new SfuClient(options)
    onTestFinished(() => client.close())
    return { client, answer: sfu.offer(room, id, gen, client.offer) }
  }
  const join: SfuHouse["join"] = async (id, options, room) => {
    const { client, answer } = invite(id, options, room)
    await client.connect(answer, sfu.port)
    return client
  }
  return { ...house, sfu, invite, join }
}
