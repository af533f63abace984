/** Laws of the indexes of the record store: after any writes they say what a scan of all records says. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { RecordStore } from "../../src/actors/state/record-store.ts"
import type { ChatMessage, Hand } from "../../src/model/live/live-records.ts"

const people = fc.constantFrom("a", "b", "c", "d", "e", "f")
const times = fc.integer({ min: 0, max: 5 }).map((second) => `2027-01-01T00:00:0${second}.000Z`)

const handWrite = fc.record({ id: people, at: fc.option(times) })

test("the first hands are the longest up, by any writes", () => {
  fc.assert(
    fc.property(fc.array(handWrite, { maxLength: 40 }), fc.integer({ min: 0, max: 7 }), (writes, count) => {
      const records = new RecordStore()
      for (const { id, at } of writes) {
        const hand: Hand | undefined = at === null ? undefined : { participantId: id, name: id, note: null, at }
        records.write("hand", id, hand)
      }
      const key = ({ at, participantId }: Hand): string => `${at} ${participantId}`
      const scanned = [...records.all("hand").values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
      expect(records.firstHands(count)).toEqual(scanned.slice(0, count))
    }),
    { numRuns: 1000 },
  )
})

const STREAMS = ["event", "staff", "room:1", "room:2"] as const
const chatWrite = fc.record({ id: people, place: fc.option(fc.constantFrom(...STREAMS)) })

const messageAt = (id: string, place: (typeof STREAMS)[number]): ChatMessage => {
  const base = { id, participantId: "p", name: "P", role: "host", text: id, replyTo: null, at: "t", rev: 1 } as const
  return place === "event" || place === "staff"
    ? { ...base, to: place, roomId: null }
    : { ...base, to: "room", roomId: place.slice("room:".length) }
}

test("the messages of a place are those that were written there and are left, in the order of their writing", () => {
  fc.assert(
    fc.property(fc.array(chatWrite, { maxLength: 40 }), (writes) => {
      const records = new RecordStore()
      const expected = new Map<string, (typeof STREAMS)[number]>()
      for (const { id, place } of writes) {
        records.write("chat", id, place === null ? undefined : messageAt(id, place))
        expected.delete(id)
        if (place !== null) expected.set(id, place)
      }
      for (const place of STREAMS) {
        const ids = [...expected].filter(([, where]) => where === place).map(([id]) => id)
        expect([...records.chatAt(place).keys()]).toEqual(ids)
      }
    }),
    { numRuns: 1000 },
  )
})
