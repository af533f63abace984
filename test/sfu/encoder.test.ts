/** Media of an encoder, from packets to the fragments that broadcasts read. Time is told by the tests. */
import { describe, expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { FragmentedMp4Reader, type Mp4Event } from "../../src/media/broadcast/fmp4/reader.ts"
import { EncoderMedia } from "../../src/sfu/encoder/encoder-media.ts"
import type { MediaKind, RtpPacket } from "../../src/sfu/rtp/packet.ts"
import type { SenderTime } from "../../src/sfu/rtp/rtcp.ts"
import { Sfu } from "../../src/sfu/sfu.ts"
import { SfuClient } from "../support/sfu-client.ts"
import { eventually } from "../support/wait.ts"

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex")

const aggregate = (...units: ReadonlyArray<string>): Buffer =>
  Buffer.concat([
    hex("78"),
    ...units.flatMap((unit) => [hex((unit.length / 2).toString(16).padStart(4, "0")), hex(unit)]),
  ])

const SMALL = ["6742c00cd901419f9f011000000300100000030320f142a480", "68cb83cb20"] as const
const LARGE = ["67640028acd940780227e5c044000003000400000300c83c60c658", "68ebe3cb22c0"] as const
const KEY_FRAME = aggregate(...SMALL, "65b80004")
const LARGE_KEY_FRAME = aggregate(...LARGE, "65b80004")
const FRAME = hex("41 9a 02")
const SOUND = hex("fc ff fe")
const RATES = { audio: 48_000, video: 90_000 } as const

const packetOf = (kind: MediaKind, seconds: number, payload: Buffer, ssrc = kind === "audio" ? 1 : 2): RtpPacket => ({
  ssrc,
  sequence: 0,
  // Near the end of 32 bits, so that the timestamps begin again.
  timestamp: (2 ** 32 - 90_000 + Math.round(seconds * RATES[kind])) % 2 ** 32,
  hasMarker: true,
  payloadType: 96,
  mid: undefined,
  rid: undefined,
  level: undefined,
  payload,
})

/** A track of a fragment, in seconds. */
interface Stretch {
  readonly kind: string
  readonly from: number
  readonly to: number
  readonly samples: number
  readonly isKey: boolean
}

const stretchesOf = (event: Mp4Event): ReadonlyArray<Stretch> =>
  event.type === "init"
    ? []
    : event.fragment.tracks.map(({ track, decodeTime, duration, samples, startsWithSync }) => ({
        kind: track.kind,
        from: decodeTime / track.timescale,
        to: (decodeTime + duration) / track.timescale,
        samples,
        isKey: startsWithSync,
      }))

/** An encoder of a picture and a sound, and what the broadcast reads of it. */
const open = (...kinds: ReadonlyArray<MediaKind>) => {
  const reader = new FragmentedMp4Reader()
  const events: Array<Mp4Event> = []
  const media = new EncoderMedia(new Set(kinds), 0, { onPiece: ({ bytes }) => events.push(...reader.push(bytes)) })
  const numbers = { audio: 0, video: 0 }
  return {
    media,
    events,
    stretches: (kind: MediaKind) => events.flatMap(stretchesOf).filter((one) => one.kind === kind),
    codecs: () => events.flatMap((one) => (one.type === "init" ? [one.init.tracks.map(({ codec }) => codec)] : [])),
    lose: (kind: MediaKind) => {
      numbers[kind] += 1
    },
    send: (kind: MediaKind, seconds: number, payload: Buffer, at = seconds, report?: SenderTime) =>
      media.add(kind, packetOf(kind, seconds, payload), numbers[kind]++, report, at * 1000),
  }
}

type Encoder = ReturnType<typeof open>

/** Pictures of a fiftieth second and sounds of the same length, from second to second. */
const sendAll = (encoder: Encoder, from: number, to: number, each: (tick: number) => Buffer = () => FRAME): void => {
  for (let tick = from * 50; tick < to * 50; tick++) {
    encoder.send("video", tick / 50, tick === from * 50 ? KEY_FRAME : each(tick))
    encoder.send("audio", tick / 50, SOUND)
  }
}

const joined = (stretches: ReadonlyArray<Stretch>): boolean =>
  stretches.every(({ from }, at) => at === 0 || Math.abs(from - (stretches[at - 1]?.to ?? 0)) < 0.0001)

describe("what the broadcast reads", () => {
  test("is one description, and fragments without holes that begin with key frames", () => {
    const encoder = open("audio", "video")
    sendAll(encoder, 0, 2)
    sendAll(encoder, 2, 3)
    expect(encoder.codecs()).toEqual([["avc1.42c00c", "opus"]])
    const [pictures, sounds] = [encoder.stretches("video"), encoder.stretches("audio")]
    expect([joined(pictures), joined(sounds)]).toEqual([true, true])
    expect(pictures.map(({ isKey }) => isKey).filter(Boolean)).toHaveLength(2)
    // The latest sample has no duration yet, and a quarter of a second is a fragment.
    const begin = pictures[0]?.from ?? 0
    expect(pictures.find(({ isKey, from }) => isKey && from > begin)?.from).toBeCloseTo(begin + 2, 4)
    expect((pictures.at(-1)?.to ?? 0) - begin).toBeGreaterThan(2.7)
    for (const { from, to } of pictures) expect(to - from).toBeLessThan(0.3)
  })

  test("begins with a key frame: what comes before is dropped", () => {
    const encoder = open("audio", "video")
    for (let tick = 0; tick < 50; tick++) {
      encoder.send("audio", tick / 50, SOUND)
      encoder.send("video", tick / 50, FRAME)
    }
    expect(encoder.events).toEqual([])
    expect(encoder.media.wantsKeyFrame(1000)).toBe(true)
    sendAll(encoder, 1, 2)
    expect(encoder.media.wantsKeyFrame(2000)).toBe(false)
    expect(encoder.media.wantsKeyFrame(3000)).toBe(true)
    expect(encoder.stretches("video")[0]?.isKey).toBe(true)
    expect(encoder.stretches("video").reduce((sum, { samples }) => sum + samples, 0)).toBeGreaterThan(35)
  })

  test("is another description where the parameter sets change, and not where they are repeated", () => {
    const encoder = open("audio", "video")
    sendAll(encoder, 0, 1)
    sendAll(encoder, 1, 2, (tick) => (tick === 75 ? LARGE_KEY_FRAME : FRAME))
    expect(encoder.codecs()).toEqual([
      ["avc1.42c00c", "opus"],
      ["avc1.640028", "opus"],
    ])
    expect(encoder.events.flatMap((one) => (one.type === "init" ? one.init.tracks[0]?.size : []))).toEqual([
      { width: 320, height: 180 },
      { width: 1920, height: 1080 },
    ])
  })

  test("is sound alone from an encoder that sends no picture", () => {
    const encoder = open("audio")
    for (let tick = 0; tick < 100; tick++) encoder.send("audio", tick / 50, SOUND)
    expect(encoder.codecs()).toEqual([["opus"]])
    expect(joined(encoder.stretches("audio"))).toBe(true)
    expect(encoder.stretches("audio").reduce((sum, { samples }) => sum + samples, 0)).toBeGreaterThan(85)
  })

  test("is sound that goes on while the picture stands", () => {
    const encoder = open("audio", "video")
    sendAll(encoder, 0, 1)
    for (let tick = 50; tick < 250; tick++) encoder.send("audio", tick / 50, SOUND)
    const end = encoder.stretches("audio").at(-1)?.to ?? 0
    expect(end - (encoder.stretches("audio")[0]?.from ?? 0)).toBeGreaterThan(2.4)
    expect(joined(encoder.stretches("audio"))).toBe(true)
    expect(encoder.media.silentFor(5000)).toBeLessThan(100)
    expect(encoder.media.silentFor(20_000)).toBeGreaterThan(15_000)
  })

  test("begins anew with a source that begins anew", () => {
    const encoder = open("video")
    const key = (seconds: number, at: number): void => encoder.send("video", seconds, KEY_FRAME, at)
    for (let tick = 0; tick < 10; tick++) key(tick / 10, tick / 10)
    for (let tick = 0; tick < 10; tick++) key(1000 + tick / 10, 1 + tick / 10)
    expect(encoder.codecs()).toHaveLength(2)
    const pictures = encoder.stretches("video")
    // Its times go on with those of the arrival.
    expect((pictures.at(-1)?.to ?? 0) - (pictures[0]?.from ?? 0)).toBeLessThan(2.1)
  })
})

describe("packets that are lost", () => {
  test("drop the pictures up to the next key frame, and no sound", () => {
    const encoder = open("audio", "video")
    sendAll(encoder, 0, 1)
    encoder.lose("video")
    const before = encoder.stretches("video").length
    for (let tick = 50; tick < 100; tick++) {
      encoder.send("video", tick / 50, FRAME)
      encoder.send("audio", tick / 50, SOUND)
    }
    expect(encoder.media.wantsKeyFrame(1500)).toBe(true)
    expect(encoder.stretches("video").length).toBeLessThanOrEqual(before + 1)
    sendAll(encoder, 2, 3)
    const pictures = encoder.stretches("video")
    const [again] = pictures.filter(({ isKey }) => isKey).slice(-1)
    expect((again?.from ?? 0) - (pictures[0]?.from ?? 0)).toBeCloseTo(2, 3)
    expect(joined(encoder.stretches("audio"))).toBe(true)
  })

  test("of sound leave a hole of their length", () => {
    const encoder = open("audio")
    for (let tick = 0; tick < 100; tick++)
      if (tick === 50) encoder.lose("audio")
      else encoder.send("audio", tick / 50, SOUND)
    const sounds = encoder.stretches("audio")
    expect(joined(sounds)).toBe(true)
    const seconds = (sounds.at(-1)?.to ?? 0) - (sounds[0]?.from ?? 0)
    expect(seconds * 50 - sounds.reduce((sum, { samples }) => sum + samples, 0)).toBeCloseTo(1, 2)
  })
})

/** NTP counts from 1900. */
const NTP = 3_900_000_000

test("sound and picture are together by the sender's reports, however late one of them arrives", () => {
  const encoder = open("audio", "video")
  const reportOf = (kind: MediaKind, seconds: number): SenderTime => ({
    seconds: NTP + seconds,
    timestamp: packetOf(kind, seconds, SOUND).timestamp,
  })
  // Pictures need 160 ms more, and the first reports come after a second.
  for (let tick = 0; tick < 500; tick++) {
    const now = tick / 50
    const report = (kind: MediaKind) => (now < 1 ? undefined : reportOf(kind, Math.floor(now)))
    encoder.send("audio", now, SOUND, now, report("audio"))
    if (tick >= 8) {
      const then = (tick - 8) / 50
      encoder.send("video", then, tick % 50 === 8 ? KEY_FRAME : FRAME, now, report("video"))
    }
  }
  const [pictures, sounds] = [encoder.stretches("video"), encoder.stretches("audio")]
  // Key frames are of whole seconds.
  const [sound] = sounds
  const keys = pictures.filter(({ isKey }) => isKey).map(({ from }) => from - (sound?.from ?? 0))
  const offs = keys.map((seconds) => Math.round((seconds - Math.round(seconds)) * 1000))
  expect(offs.slice(4)).toEqual(offs.slice(4).map(() => offs.at(-1)))
  expect(sounds.length).toBeGreaterThan(10)
  expect(joined(sounds)).toBe(true)
  // The first sound that is heard is that of 0.18 seconds, beside which the picture of 0 begins.
  expect([offs[0], offs.at(-1)]).toEqual([-20, -180])
})

describe("an encoder on the network", () => {
  const PICTURE = 2000

  const connect = async () => {
    const pieces: Array<boolean> = []
    const ended: Array<string> = []
    const faults: Array<unknown> = []
    const sfu = await Sfu.listen(
      { port: 0, addresses: ["127.0.0.1"], timers: systemTimers },
      {
        onSlots: () => undefined,
        onPiece: (_, { isInit }) => pieces.push(isInit),
        onEncoderEnded: (session) => ended.push(session),
        onFault: (cause) => faults.push(cause),
      },
    )
    const client = new SfuClient({
      sent: [{ kind: "video", ssrc: PICTURE }],
      places: { audio: 0, video: 0 },
      picture: "H264",
    })
    onTestFinished(async () => {
      client.close()
      await sfu.close()
      expect(faults).toEqual([])
    })
    await client.connect(sfu.openEncoder("obs", client.offer, 1000), sfu.port)
    const packet = (number: number, payload = KEY_FRAME) =>
      client.packet(PICTURE, "video", number, number * 9000, payload)
    return { sfu, client, pieces, ended, packet }
  }

  test("is asked for a lost packet, which is in time when it comes", async () => {
    const { client, pieces, packet } = await connect()
    const [first, lost, next] = [packet(0), packet(1, FRAME), packet(2, FRAME)]
    client.send(first)
    client.send(next)
    await eventually(() => client.reports.some((report) => report[1] === 205), "a request for the packet")
    client.send(lost)
    for (let number = 3; number < 8; number++) client.send(packet(number, FRAME))
    await eventually(() => pieces.includes(false), "a fragment of pictures that refer to it")
  })

  test("is asked for a key frame when it sends none", async () => {
    const { client, pieces, packet } = await connect()
    for (let number = 0; number < 5; number++) client.send(packet(number, FRAME))
    await eventually(() => client.reports.some((report) => report[1] === 206 && report[0] === 0x81), "a request")
    expect(pieces).toEqual([])
  })

  test("is not heard with other keys, nor beyond its rate", async () => {
    const { client, pieces, packet } = await connect()
    const forged = packet(0)
    forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1)
    client.send(forged)
    // 1000 kilobits in a second, and half of that more.
    for (let number = 1; number < 300; number++) client.send(packet(number, Buffer.concat([FRAME, Buffer.alloc(1000)])))
    await eventually(() => client.reports.some((report) => report[1] === 206), "a report")
    expect(pieces).toEqual([])
    const [received] = client.reports.filter((report) => report[1] === 201).slice(-1)
    expect((received?.readUInt32BE(16) ?? 0) & 0xffff).toBeLessThan(200)
  })

  test("ends with its connection, and once", async () => {
    const { sfu, ended } = await connect()
    sfu.closeEncoder("obs")
    sfu.closeEncoder("obs")
    expect(ended).toEqual([])
    expect(() => sfu.openEncoder("obs", "nothing", 1000)).toThrow("no section")
  })

  test("that is finished gives what waits for the rest of its fragment, and ends", async () => {
    const { sfu, client, pieces, ended, packet } = await connect()
    // A fifth of a second, which is no fragment yet.
    for (let number = 0; number < 3; number++) client.send(packet(number, number === 0 ? KEY_FRAME : FRAME))
    const highest = (report: Buffer): number => (report[1] === 201 && report.length >= 32 ? report.readUInt32BE(16) : 0)
    await eventually(() => client.reports.some((report) => (highest(report) & 0xffff) === 2), "a report of all three")
    expect([pieces, ended]).toEqual([[true], []])
    sfu.finishEncoder("obs")
    sfu.finishEncoder("obs")
    expect([pieces, ended]).toEqual([[true, false], ["obs"]])
  })
})
