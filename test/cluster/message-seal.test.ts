/** What a broker between the nodes can do with their messages: nothing but lose them. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { MessageSeal, SEAL_BYTES } from "../../src/cluster/link/message-seal.ts"

const SECRET = "a secret of the cluster, long enough"
const FORGED = { refused: "forged" }
const REPLAYED = { refused: "replayed" }

const STALE = { refused: "stale" }

const NOON = Date.UTC(2026, 10, 27, 12)
const sealAt = (time: number, secret = SECRET): MessageSeal => new MessageSeal(secret, () => time)
const pair = (): readonly [MessageSeal, MessageSeal] => [sealAt(NOON), sealAt(NOON)]

test("every text arrives as it was sealed, in order, over several subjects", () => {
  const [here, there] = pair()
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("a", "b"), (text, subject) => {
      const sealed = here.seal(subject, text)
      expect(sealed.byteLength).toBe(Buffer.byteLength(text) + SEAL_BYTES)
      expect(there.open(subject, sealed)).toBe(text)
    }),
  )
})

test("a sealed message tells nothing of its text, and the same text is never sealed alike", () => {
  const [here] = pair()
  const [one, other] = [here.seal("chat", "for staff alone"), here.seal("chat", "for staff alone")]
  expect(Buffer.from(one).toString("latin1")).not.toContain("staff")
  expect(Buffer.from(one).subarray(-31)).not.toEqual(Buffer.from(other).subarray(-31))
})

test("a message is refused with any bit changed, cut short, made longer, or on another subject", () => {
  const [here, there] = pair()
  const sealed = here.seal("ev.1", '{"text":"hello"}')
  for (let bit = 0; bit < sealed.byteLength * 8; bit++) {
    const changed = Uint8Array.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(there.open("ev.1", changed), `bit ${bit}`).toEqual(FORGED)
  }
  for (let length = 0; length < sealed.byteLength; length++) {
    expect(there.open("ev.1", sealed.subarray(0, length))).toEqual(FORGED)
  }
  expect(there.open("ev.1", Buffer.concat([sealed, Buffer.alloc(1)]))).toEqual(FORGED)
  expect(there.open("ev.2", sealed)).toEqual(FORGED)
  expect(there.open("ev.1", sealed)).toBe('{"text":"hello"}')
})

test("a message is refused in clear, and with another secret", () => {
  const [here] = pair()
  expect(here.open("ev.1", Buffer.from('{"v":1,"message":{}}'.padEnd(100)))).toEqual(FORGED)
  expect(here.open("ev.1", sealAt(NOON, `${SECRET}!`).seal("ev.1", "x"))).toEqual(FORGED)
})

test("a message is opened once, also when later ones came before it, and a node opens none of its own", () => {
  const [here, there] = pair()
  const [first, second, third] = ["1", "2", "3"].map((text) => here.seal("ev.1", text)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  expect(there.open("ev.1", second)).toBe("2")
  expect(there.open("ev.1", second)).toEqual(REPLAYED)
  expect(there.open("ev.1", first)).toEqual(REPLAYED)
  expect(there.open("ev.1", third)).toBe("3")
  expect(here.open("ev.1", third)).toEqual(REPLAYED)
})

test("a message that was kept is refused on a subject that nobody here has heard before", () => {
  const [here, there] = pair()
  const kept = here.seal("ev.1", "kept")
  expect(there.open("ev.2", here.seal("ev.2", "later"))).toBe("later")
  expect(there.open("ev.1", kept)).toEqual(REPLAYED)
})

test("senders do not disturb each other, and a node that starts again is another sender", () => {
  const [one, there] = pair()
  const [two, again] = pair()
  for (const sender of [one, two, again]) expect(there.open("ev.1", sender.seal("ev.1", "x"))).toBe("x")
})

test("a node that starts later refuses what was kept longer than half a minute, and its time cannot be changed", () => {
  let time = NOON
  const here = new MessageSeal(SECRET, () => time)
  const kept = here.seal("ev.1", "kept")
  time += 30_001
  const starting = new MessageSeal(SECRET, () => time)
  expect(starting.open("ev.1", kept)).toEqual(STALE)
  const renewed = Uint8Array.from(kept)
  renewed.set(here.seal("ev.1", "kept").subarray(25, 33), 25)
  expect(starting.open("ev.1", renewed)).toEqual(FORGED)
  expect(starting.open("ev.1", here.seal("ev.1", "new"))).toBe("new")
})

test.each([
  [0, "x"],
  [5_000, "x"],
  [30_000, "x"],
  [30_001, STALE],
  [86_400_000, STALE],
])("nodes whose clocks differ by %i ms: %o", (off, expected) => {
  for (const [mine, theirs] of [
    [NOON, NOON + off],
    [NOON + off, NOON],
  ] as const) {
    expect(sealAt(theirs).open("ev.1", sealAt(mine).seal("ev.1", "x"))).toEqual(expected)
  }
})

test("a message that is too old does not keep those after it from being opened", () => {
  let time = NOON
  const here = new MessageSeal(SECRET, () => time)
  const there = sealAt(NOON + 30_001)
  expect(there.open("ev.1", here.seal("ev.1", "slow"))).toEqual(STALE)
  time += 1
  expect(there.open("ev.1", here.seal("ev.1", "in time"))).toBe("in time")
})
