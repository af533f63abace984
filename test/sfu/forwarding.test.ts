/** Packets that a room forwards, and the people who receive them. */
import { expect, test } from "vitest"
import { uint } from "../../src/sfu/bytes.ts"
import { bandwidthLimit, lossReport } from "../../src/sfu/rtp/rtcp.ts"
import type { SfuClient } from "../support/sfu-client.ts"
import { openSfu, type SfuHouse } from "../support/sfu-house.ts"
import { eventually } from "../support/wait.ts"

const MICROPHONE = { kind: "audio", ssrc: 1000 } as const
const CAMERA = { kind: "video", ssrc: 2000 } as const
const PLACES = { audio: 2, video: 2 }

/** A frame of VP8 in one packet, with a picture id of 15 bits and a number of its layer. */
const frame = (isKey: boolean, picture: number, text: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x90, 0xe0]),
    uint(0x8000 | picture, 2),
    uint(picture & 0xff, 1),
    Buffer.from([0x20, isKey ? 0x10 : 0x11]),
    Buffer.from(text),
  ])

const textOf = (payload: Buffer): string => payload.subarray(7).toString()
const textsOf = (client: SfuClient): ReadonlyArray<string> => client.arrived.map(({ payload }) => textOf(payload))

const shows = (house: SfuHouse, who: string, whom: string, source: string): boolean =>
  house.slots.get(who)?.some((slot) => slot.peer === whom && slot.source === source) ?? false

/** Sends key frames until the other one has a slot for them: a room decides now and then. */
const untilShown = async (house: SfuHouse, sender: SfuClient, who: string, whom: string): Promise<number> => {
  let sequence = 10
  await eventually(async () => {
    sequence += 1
    sender.send(sender.packet(CAMERA.ssrc, "video", sequence, sequence * 3000, frame(true, sequence, "key")))
    return shows(house, who, whom, "camera")
  }, "a slot for the picture")
  return sequence
}

test("sound reaches the other people of the room, and nobody of another room", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE] })
  const ben = await house.join("ben", { places: PLACES })
  const dora = await house.join("dora", { places: PLACES }, "other")
  let sequence = 0
  await eventually(async () => {
    sequence += 1
    ann.send(ann.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("sound")))
    return ben.arrived.length >= 3
  }, "sound")
  expect(ben.arrived.every(({ payload }) => payload.toString() === "sound")).toBe(true)
  const [first, second] = ben.arrived
  expect((second?.sequence ?? 0) - (first?.sequence ?? 0)).toBe(1)
  expect((second?.timestamp ?? 0) - (first?.timestamp ?? 0)).toBe(960)
  expect(dora.arrived).toEqual([])
  expect(ann.arrived).toEqual([])
  expect(house.slots.get("ben")).toEqual([
    { mid: "0", peer: "ann", source: "microphone" },
    { mid: "1", peer: null, source: null },
    { mid: "2", peer: null, source: null },
    { mid: "3", peer: null, source: null },
  ])
})

test("what a host muted reaches nobody, and reaches them again when the mute ends", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE] })
  const ben = await house.join("ben", { sent: [MICROPHONE], places: PLACES })
  const cem = await house.join("cem", { places: PLACES })
  let sequence = 0
  const speak = (): void => {
    sequence += 1
    for (const [one, text] of [
      [ann, "ann"],
      [ben, "ben"],
    ] as const)
      one.send(one.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from(text)))
  }
  const heard = (text: string): number => cem.arrived.filter(({ payload }) => payload.toString() === text).length
  const untilHeard = (text: string): Promise<void> => {
    const before = heard(text)
    return eventually(async () => {
      speak()
      return heard(text) >= before + 3
    }, `three packets of ${text}`)
  }
  await untilHeard("ann")
  house.sfu.mute("room", "ann", ["microphone"])
  // A packet of Ben's that was sent after it shows that what was on its way has arrived.
  await untilHeard("ben")
  const before = heard("ann")
  await untilHeard("ben")
  expect(heard("ann")).toBe(before)
  expect(house.slots.get("cem")?.map(({ peer }) => peer)).not.toContain("ann")
  house.sfu.mute("room", "ann", ["camera"])
  await untilHeard("ann")
})

test("a browser whose network lets no UDP through hears and is heard over TCP", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE], places: PLACES, over: "tcp" })
  const ben = await house.join("ben", { sent: [MICROPHONE], places: PLACES })
  let sequence = 0
  await eventually(async () => {
    sequence += 1
    for (const one of [ann, ben])
      one.send(one.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from(one === ann ? "ann" : "ben")))
    return ann.arrived.length > 0 && ben.arrived.length > 0
  }, "sound both ways")
  expect([ann.arrived[0]?.payload.toString(), ben.arrived[0]?.payload.toString()]).toEqual(["ben", "ann"])
})

test("a picture begins with a key frame, which is asked for", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [CAMERA] })
  const ben = await house.join("ben", { places: PLACES })
  let sequence = 0
  await eventually(async () => {
    sequence += 1
    ann.send(ann.packet(CAMERA.ssrc, "video", sequence, sequence * 3000, frame(false, sequence, "delta")))
    // A picture loss indication (RFC 4585, 6.3.1) for the camera.
    return ann.reports.some((report) => report[1] === 206 && report.readUInt32BE(8) === CAMERA.ssrc)
  }, "a request for a key frame")
  expect(ben.arrived).toEqual([])
  ann.send(ann.packet(CAMERA.ssrc, "video", sequence + 1, 0, frame(true, 7, "key")))
  ann.send(ann.packet(CAMERA.ssrc, "video", sequence + 2, 3000, frame(false, 8, "delta")))
  await eventually(async () => ben.arrived.length === 2, "the picture")
  expect(textsOf(ben)).toEqual(["key", "delta"])
})

test("numbers and times go on when another person takes the slot", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [CAMERA] })
  const ben = await house.join("ben", { places: { audio: 0, video: 1 } })
  await untilShown(house, ann, "ben", "ann")
  await eventually(async () => ben.arrived.length > 0, "the first picture")
  house.sfu.leave("room", "ann")
  const cem = await house.join("cem", { sent: [CAMERA] })
  const before = ben.arrived.length
  await untilShown(house, cem, "ben", "cem")
  await eventually(async () => {
    cem.send(cem.packet(CAMERA.ssrc, "video", 500, 1_500_000, frame(true, 5000, "from cem")))
    return textsOf(ben).includes("from cem")
  }, "the picture of the other person")
  const arrived = ben.arrived.slice(before - 1)
  for (const [at, { ssrc, sequence, timestamp, payload }] of arrived.entries()) {
    const next = arrived[at + 1]
    if (next === undefined) break
    expect(next.ssrc).toBe(ssrc)
    // The time never goes back, and by less than the test takes.
    expect((next.timestamp - timestamp) >>> 0).toBeLessThan(0x8000_0000)
    if (textOf(next.payload) !== "from cem") {
      expect((next.sequence - sequence) & 0xffff).toBe(1)
      expect((next.payload.readUInt16BE(2) - payload.readUInt16BE(2)) & 0x7fff).toBe(1)
    }
  }
})

test("a packet that was lost comes again with the same bytes, and packets that the server lacks are asked for", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [CAMERA] })
  const ben = await house.join("ben", { places: PLACES })
  const last = await untilShown(house, ann, "ben", "ann")
  await eventually(async () => ben.arrived.length > 0, "the picture")
  ann.send(ann.packet(CAMERA.ssrc, "video", last + 3, 9, frame(false, 1, "after a gap")))
  await eventually(
    async () => ann.reports.some((report) => report[1] === 205 && report.readUInt16BE(12) === last + 1),
    "a request for the first of two lost packets",
  )
  await eventually(async () => textsOf(ben).includes("after a gap"), "the packet after the gap")
  const lost = ben.arrived.at(-1)
  ben.report(lossReport(1, lost?.ssrc ?? 0, [lost?.sequence ?? 0]))
  await eventually(async () => ben.copies === 1, "the packet again")
})

test("of two people the one who speaks has the only place, and keeps it in a silence", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE] })
  const ben = await house.join("ben", { sent: [MICROPHONE] })
  await house.join("cem", { places: { audio: 1, video: 0 } })
  let sequence = 0
  const until = (whom: string, loudnessOfAnn: number, loudnessOfBen: number) =>
    eventually(async () => {
      sequence += 1
      ann.send(ann.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("sound"), loudnessOfAnn))
      ben.send(ben.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("sound"), loudnessOfBen))
      return shows(house, "cem", whom, "microphone")
    }, `the sound of ${whom}`)
  const [loud, quiet] = [20, 90]
  await until("ann", loud, quiet)
  await until("ben", quiet, loud)
  await until("ann", loud, quiet)
})

test("a browser that asks for everything again gets a little of it", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [CAMERA] })
  const ben = await house.join("ben", { places: PLACES })
  await untilShown(house, ann, "ben", "ann")
  await eventually(async () => ben.arrived.length > 0, "the picture")
  const { ssrc = 0, sequence = 0 } = ben.arrived[0] ?? {}
  for (let times = 0; times < 20; times++)
    ben.report(
      lossReport(
        1,
        ssrc,
        Array.from({ length: 200 }, () => sequence),
      ),
    )
  const before = ben.checksAnswered
  // The answer to a check leaves after what was asked for before.
  await eventually(async () => {
    ben.check()
    return ben.checksAnswered > before
  }, "an answer")
  expect(ben.copies).toBeLessThan(20)
})

test("of two cameras the only place is the speaker's, for a browser that said nothing of its tiles", async () => {
  const house = await openSfu()
  const both = { sent: [MICROPHONE, CAMERA] }
  const people = [await house.join("ann", both), await house.join("ben", both)]
  await house.join("cem", { places: { audio: 0, video: 1 } })
  let sequence = 0
  const until = (whom: string, levels: readonly [number, number]) =>
    eventually(async () => {
      sequence += 1
      for (const [at, one] of people.entries()) {
        one.send(one.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("sound"), levels[at]))
        one.send(one.packet(CAMERA.ssrc, "video", sequence, sequence * 3000, frame(true, sequence, "key")))
      }
      return shows(house, "cem", whom, "camera")
    }, `the picture of ${whom}`)
  await until("ben", [90, 20])
  await until("ann", [20, 90])
})

test("a browser that says that it receives little gets one picture of two", async () => {
  const house = await openSfu()
  const people = [await house.join("ann", { sent: [CAMERA] }), await house.join("ben", { sent: [CAMERA] })]
  const cem = await house.join("cem", { places: { audio: 0, video: 2 } })
  let sequence = 0
  const until = (pictures: number) =>
    eventually(async () => {
      sequence += 1
      for (const one of people)
        one.send(one.packet(CAMERA.ssrc, "video", sequence, sequence * 3000, frame(true, sequence, "x".repeat(500))))
      return house.slots.get("cem")?.filter(({ peer }) => peer !== null).length === pictures
    }, `${pictures} pictures`)
  await until(2)
  cem.report(bandwidthLimit(1, 1000, []))
  await until(1)
})

test("pictures follow what a browser shows, and leave with their person", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [CAMERA] })
  const cem = await house.join("cem", { sent: [CAMERA] })
  await house.join("ben", { places: { audio: 0, video: 1 } })
  const send = (client: SfuClient, sequence: number) =>
    client.send(client.packet(CAMERA.ssrc, "video", sequence, sequence * 3000, frame(true, sequence, "key")))
  let sequence = 0
  const until = (whom: string) =>
    eventually(async () => {
      sequence += 1
      send(ann, sequence)
      send(cem, sequence)
      return shows(house, "ben", whom, "camera")
    }, `the picture of ${whom}`)
  house.sfu.look("room", "ben", [{ peer: "cem", source: "camera", height: 90 }])
  await until("cem")
  house.sfu.look("room", "ben", [{ peer: "ann", source: "camera", height: 720 }])
  await until("ann")
  house.sfu.leave("room", "ann")
  expect(house.slots.get("ben")).toEqual([{ mid: "0", peer: null, source: null }])
})
