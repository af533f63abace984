/** Pictures of H.264 from packets that are written by hand, as RFC 6184 draws them. */
import { describe, expect, test } from "vitest"
import { Malformed } from "../../src/sfu/bytes.ts"
import { Reordering } from "../../src/sfu/encoder/reordering.ts"
import { sequenceFactsOf } from "../../src/sfu/encoder/sequence-set.ts"
import { PictureReader } from "../../src/sfu/rtp/h264.ts"
import type { RtpPacket } from "../../src/sfu/rtp/packet.ts"

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex")

const packet = (timestamp: number, payload: string, hasMarker = false): RtpPacket => ({
  ssrc: 1,
  sequence: 0,
  timestamp,
  hasMarker,
  payloadType: 96,
  mid: undefined,
  rid: undefined,
  level: undefined,
  payload: hex(payload),
})

/** What a reader makes of packets in order; `lost` stands for a missing one. */
const read = (...packets: ReadonlyArray<RtpPacket | "lost">) => {
  const reader = new PictureReader()
  return packets.flatMap((one) => {
    if (one === "lost") {
      reader.lose()
      return []
    }
    return reader.add(one).map((picture) =>
      picture === "torn"
        ? picture
        : {
            at: picture.timestamp,
            units: picture.units.map((unit) => unit.toString("hex")),
            isKeyFrame: picture.isKeyFrame,
            sets: [...picture.sequenceSets, ...picture.pictureSets].map((set) => set.toString("hex")),
          },
    )
  })
}

const KEY = { at: 1, units: ["65aabb"], isKeyFrame: true, sets: ["67010203", "6804"] }

describe("packets in order", () => {
  test("a single unit is a picture (5.6)", () => {
    expect(read(packet(7, "41 9a 02", true))).toEqual([{ at: 7, units: ["419a02"], isKeyFrame: false, sets: [] }])
  })

  test("aggregated units are one picture and its parameter sets (5.7.1)", () => {
    expect(read(packet(1, "78 0004 67010203 0002 6804 0003 65aabb", true))).toEqual([KEY])
  })

  test("fragments are one unit, whose head is in their first two bytes (5.8)", () => {
    // Start, middle and end of a slice of type 5 with the importance 3.
    const fragments = [packet(1, "7c 85 aa"), packet(1, "7c 05 bb"), packet(1, "7c 45 cc", true)]
    expect(read(...fragments)).toEqual([{ at: 1, units: ["65aabbcc"], isKeyFrame: true, sets: [] }])
  })

  test("all units of a timestamp are one picture, without delimiter and filler, and the marker is not needed", () => {
    const packets = [
      packet(1, "09 f0"),
      packet(1, "67010203"),
      packet(1, "6804"),
      packet(1, "65aabb"),
      packet(1, "0cff"),
    ]
    expect(read(...packets)).toEqual([])
    expect(read(...packets, packet(2, "41 9a", true))).toEqual([
      KEY,
      { at: 2, units: ["419a"], isKeyFrame: false, sets: [] },
    ])
  })

  test("parameter sets that come alone are no picture, and padding is nothing", () => {
    expect(read(packet(1, ""), packet(1, "78 0004 67010203 0002 6804", true))).toEqual([
      { ...KEY, units: [], isKeyFrame: false },
    ])
  })
})

describe("packets that are missing", () => {
  test.each([
    ["the first", ["lost", packet(1, "7c 05 bb"), packet(1, "7c 45 cc", true)]],
    ["a middle", [packet(1, "7c 85 aa"), "lost", packet(1, "7c 45 cc", true)]],
    ["the last, with the picture's end", [packet(1, "7c 85 aa"), "lost", packet(2, "09 f0")]],
    ["a single unit before others of the picture", ["lost", packet(1, "65aabb", true)]],
  ] as const)("without %s a fragmented picture is torn", (_, packets) => {
    expect(read(...packets)).toEqual(["torn"])
  })

  test("the next picture that visibly begins after a gap is whole", () => {
    const [lost, next] = ["lost", packet(1, "78 0004 67010203 0002 6804 0003 65aabb", true)] as const
    expect(read(packet(0, "7c 81 aa"), lost, next)).toEqual(["torn", KEY])
  })
})

describe("packets that say nothing true", () => {
  test.each([
    ["an aggregated unit that is longer than its packet", "78 0009 67010203"],
    ["an aggregated unit without bytes", "78 0000"],
    ["a size that is cut off", "78 00"],
    ["a fragment without bytes", "7c 85"],
    ["an end without a beginning", "7c 45 cc"],
    ["interleaved aggregation, which is not agreed on", "79 0000 0004 67010203"],
    ["a type without a meaning", "7f 00"],
  ])("%s tears its picture, and the next one is read", (_, payload) => {
    const next = { at: 2, units: ["419a"], isKeyFrame: false, sets: [] }
    expect(read(packet(1, payload, true), packet(2, "41 9a", true))).toEqual(["torn", next])
  })

  test("a unit without an end tears its picture", () => {
    expect(read(packet(1, "7c 85 aa"), packet(1, "41 9a", true))).toEqual(["torn"])
    expect(read(packet(1, "7c 85 aa"), packet(1, "7c 85 aa", true))).toEqual(["torn"])
  })

  test("a picture without end is torn before it fills the memory", () => {
    const piece = packet(1, `7c 05 ${"00".repeat(1_000_000)}`)
    const fragmented = (count: number) => [
      packet(1, "7c 85 aa"),
      ...Array.from({ length: count }, () => piece),
      packet(1, "7c 45 cc", true),
    ]
    // Four mebibytes, in fragments as in single units.
    expect(read(...fragmented(4))).toMatchObject([{ isKeyFrame: true }])
    expect(read(...fragmented(5))).toEqual(["torn"])
    const large = packet(1, `41 ${"00".repeat(1_000_000)}`)
    expect(read(large, large, large, large, packet(2, "09 f0"))).toMatchObject([{ isKeyFrame: false }])
    expect(read(large, large, large, large, large, packet(2, "09 f0"))).toEqual(["torn"])
  })

  test("a picture of too many units, or a unit of too many fragments, is torn, and the next one is read", () => {
    const next = { at: 2, units: ["419a"], isKeyFrame: false, sets: [] }
    const last = packet(2, "41 9a", true)
    const units = (count: number) => Array.from({ length: count }, () => packet(1, "41 9a"))
    expect(read(...units(512), last)).toMatchObject([{ at: 1 }, next])
    expect(read(...units(513), last)).toEqual(["torn", next])
    const aggregated = (count: number) => packet(1, `78 ${"0001 41".repeat(count)}`)
    expect(read(aggregated(512), last)).toMatchObject([{ at: 1 }, next])
    expect(read(aggregated(513), last)).toEqual(["torn", next])
    const fragments = (count: number) => [
      packet(1, "7c 85 aa"),
      ...Array.from({ length: count - 2 }, () => packet(1, "7c 05 bb")),
      packet(1, "7c 45 cc", true),
    ]
    expect(read(...fragments(8192), last)).toMatchObject([{ at: 1 }, next])
    expect(read(...fragments(8193), last)).toEqual(["torn", next])
  })
})

describe("the order of packets", () => {
  const HOLD_MS = 400
  const one = (timestamp: number) => packet(timestamp, "41 9a")
  const times = (found: ReadonlyArray<RtpPacket | "lost">) =>
    found.map((each) => (each === "lost" ? each : each.timestamp))

  test("is that of their numbers, and copies and late ones are dropped", () => {
    const order = new Reordering(HOLD_MS)
    const come = (...numbers: ReadonlyArray<number>) => {
      for (const number of numbers) order.add(one(number), number, 0)
      return times(order.take(0))
    }
    expect(come(10)).toEqual([10])
    expect(come(12, 13)).toEqual([])
    expect(come(13, 11)).toEqual([11, 12, 13])
    expect(come(9, 12)).toEqual([])
    expect(come(14)).toEqual([14])
  })

  test("waits for a missing one, until its time is over", () => {
    const order = new Reordering(HOLD_MS)
    const come = (number: number, now: number) => {
      order.add(one(number), number, now)
      return times(order.take(now))
    }
    expect(come(1, 0)).toEqual([1])
    expect(come(3, 100)).toEqual([])
    expect(come(5, 300)).toEqual([])
    expect(times(order.take(100 + HOLD_MS - 1))).toEqual([])
    expect(times(order.take(100 + HOLD_MS))).toEqual(["lost", 3])
    // The second gap is as old as the packet behind it, which a copy does not renew.
    expect(come(5, 600)).toEqual([])
    expect(times(order.take(300 + HOLD_MS - 1))).toEqual([])
    expect(times(order.take(300 + HOLD_MS))).toEqual(["lost", 5])
    expect(times(order.take(100_000))).toEqual([])
  })

  test("gives up all gaps of one burst together", () => {
    const order = new Reordering(HOLD_MS)
    for (const number of [1, 3, 5, 7, 9, 11]) order.add(one(number), number, 100)
    expect(times(order.take(100))).toEqual([1])
    order.add(one(6), 6, 200)
    expect(times(order.take(100 + HOLD_MS - 1))).toEqual([])
    expect(times(order.take(100 + HOLD_MS))).toEqual(["lost", 3, "lost", 5, 6, 7, "lost", 9, "lost", 11])
  })

  test("waits with no more than a thousand packets", () => {
    const order = new Reordering(HOLD_MS)
    order.add(one(0), 0, 0)
    order.take(0)
    for (let number = 2; number < 1025; number++) order.add(one(number), number, 0)
    expect(order.take(0)).toHaveLength(0)
    order.add(one(1025), 1025, 0)
    expect(times(order.take(0)).slice(0, 2)).toEqual(["lost", 2])
  })
})

describe("sequence parameter sets, as x264 writes them", () => {
  test.each([
    ["baseline", "6742c00cd901419f9f011000000300100000030320f142a480", { width: 320, height: 180, chroma: undefined }],
    [
      "high",
      "67640028acd940780227e5c044000003000400000300c83c60c658",
      { width: 1920, height: 1080, chroma: { format: 1, lumaDepth: 0, chromaDepth: 0 } },
    ],
    [
      "high 4:2:2 in ten bits, interlaced",
      "677a001eb6cd940b47b60220000003002000000643e28532c0",
      { width: 720, height: 480, chroma: { format: 2, lumaDepth: 2, chromaDepth: 2 } },
    ],
    [
      "high 4:4:4 with scaling lists",
      "67f4000a919b28e4f1f1f808800000030080000019078912cb",
      { width: 98, height: 50, chroma: { format: 3, lumaDepth: 0, chromaDepth: 0 } },
    ],
  ])("%s", (_, set, facts) => {
    expect(sequenceFactsOf(hex(set))).toEqual(facts)
  })

  test.each([
    ["one that is cut off", "6742c00c"],
    ["one of zeros", "67".padEnd(400, "0")],
    ["one that is too long", "67".padEnd(4000, "f")],
    ["one of 1024 columns", "6742c00adc00400c60"],
  ])("%s is refused", (_, set) => {
    expect(() => sequenceFactsOf(hex(set))).toThrow(Malformed)
  })
})
