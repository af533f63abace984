/** People who should not get in, and packets that nobody asked for. */
import { createSocket } from "node:dgram"
import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { Malformed } from "../../src/sfu/bytes.ts"
import { newCertificate } from "../../src/sfu/dtls/certificate.ts"
import type { SfuClient } from "../support/sfu-client.ts"
import { openSfu, type SfuHouse } from "../support/sfu-house.ts"
import { eventually } from "../support/wait.ts"

/** A self-signed certificate of Ed25519, made with OpenSSL, and a key that signs what the handshake wants. */
const ED25519 = {
  der: Buffer.from(
    "MIIBMjCB5aADAgECAhRFCvwuUCZswMfThjs8pEjZvLYFmjAFBgMrZXAwDjEMMAoGA1UEAwwDZXZlMCAXDTI2MTEzMDEwNTIyOVoYDzIxMjYxMTA2MTA1MjI5WjAOMQwwCgYDVQQDDANldmUwKjAFBgMrZXADIQDA1ISsoUJZjU+W2c18LwA/yWparR8LBdG709cWMdoJgaNTMFEwHQYDVR0OBBYEFCxssleFsg4nW/scHZbh9wNK1R86MB8GA1UdIwQYMBaAFCxssleFsg4nW/scHZbh9wNK1R86MA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EAz9eOPoKXaLu1yYofY0uQSaFW1VgcbWAQwbZtpYk6vY5kHiFr1M3rf8/bsMb64PEo6ESXn+54O2PssSUsCFYzAA==",
    "base64",
  ),
  fingerprint: "B8:4F:5A:53:2D:98:55:C2:55:AC:D0:76:29:F0:08:03:2F:D8:51:14:08:F3:7E:F2:07:54:95:E5:9F:F1:77:10",
}
const MICROPHONE = { kind: "audio", ssrc: 1000 } as const
const CAMERA = { kind: "video", ssrc: 2000 } as const
const PLACES = { audio: 2, video: 2 }

/** Waits until the server has taken what the client sent: datagrams of one machine arrive in order, and another handshake takes several. */
const untilTaken = async (house: SfuHouse, client: SfuClient): Promise<void> => {
  await client.hasAnswered
  await house.join("ann")
}

/** Whether the session answers a check. */
const isThere = async (house: SfuHouse, client: SfuClient): Promise<boolean> => {
  const before = client.checksAnswered
  client.check()
  await house.join("ann")
  return client.checksAnswered > before
}

test.for(["otherKey", "wrongFinish"] as const)(
  "a handshake with %s ends its session, and gets no keys",
  async (misbehave) => {
    const house = await openSfu()
    const { client, answer } = house.invite("eve", { misbehave })
    await client.reach(answer, house.sfu.port)
    void client.startHandshake()
    await untilTaken(house, client)
    expect([client.isConnected, await isThere(house, client)]).toEqual([false, false])
  },
)

test("a client that does not prove that it has its key gets none", async () => {
  const house = await openSfu()
  const { client, answer } = house.invite("eve", { misbehave: "noProof" })
  await client.reach(answer, house.sfu.port)
  void client.startHandshake()
  await untilTaken(house, client)
  expect(client.isConnected).toBe(false)
})

test("a certificate that is not the offer's ends the session", async () => {
  const house = await openSfu()
  const { client, answer } = house.invite("eve")
  Object.assign(client.certificate, newCertificate(Date.now()))
  await client.reach(answer, house.sfu.port)
  void client.startHandshake()
  await untilTaken(house, client)
  expect([client.isConnected, await isThere(house, client)]).toEqual([false, false])
})

test.for([
  ["without the extended master secret", { misbehave: "noExtendedMaster" }],
  ["with a profile of SRTP that encrypts nothing", { profiles: [5] }],
] as const)("a hello %s ends the session", async ([, options]) => {
  const house = await openSfu()
  const { client, answer } = house.invite("eve", options)
  await client.reach(answer, house.sfu.port)
  void client.startHandshake()
  await house.join("ann")
  expect([client.isConnected, await isThere(house, client)]).toEqual([false, false])
})

test("both profiles of SRTP carry sound", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE], profiles: [1] })
  const ben = await house.join("ben", { places: PLACES, profiles: [7] })
  let sequence = 0
  await eventually(async () => {
    sequence += 1
    ann.send(ann.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("sound")))
    return ben.arrived.length > 0
  }, "sound from one profile to the other")
})

test("who does not know the secret of a session gets no answer, and its packets go nowhere", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE] })
  const ben = await house.join("ben", { places: PLACES })
  let sequence = 0
  const speak = (payload: Buffer) => {
    sequence += 1
    const packet = ann.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, payload)
    ann.send(packet)
    return packet
  }
  let packet: Buffer = Buffer.alloc(0)
  await eventually(async () => {
    packet = speak(Buffer.from("sound"))
    return ben.arrived.length > 0
  }, "sound")
  const stranger = createSocket("udp4")
  onTestFinished(() => void stranger.close())
  let answers = 0
  stranger.on("message", () => (answers += 1))
  const forged = Buffer.from(packet)
  forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1
  for (const bytes of [
    packet,
    forged,
    Buffer.alloc(0),
    Buffer.alloc(1400, 0x90),
    Buffer.from([0x16]),
    Buffer.alloc(1400, 0x16),
  ])
    stranger.send(bytes, house.sfu.port, "127.0.0.1")
  // The same packets by the session's own path: the first came before, the second is not authentic.
  ann.send(packet)
  ann.send(forged)
  ann.check("another password")
  ann.check(undefined, "00000000")
  speak(Buffer.from("last"))
  await eventually(async () => ben.arrived.some(({ payload }) => payload.toString() === "last"), "the last packet")
  const sequences = ben.arrived.map(({ sequence: number }) => number)
  expect(new Set(sequences).size).toBe(sequences.length)
  expect(answers).toBe(0)
})

test("bytes at random by the session's own path, and sealed with its keys, change nothing", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE, CAMERA] })
  const ben = await house.join("ben", { places: PLACES })
  const random = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * length * 31 + length) & 255))
  let sequence = 0
  for (let length = 0; length < 100; length++) {
    for (const first of [0, 22, 21, 128, 144, 255]) ann.send(Buffer.concat([Buffer.from([first]), random(length)]))
    sequence += 1
    ann.send(ann.packet(CAMERA.ssrc, "video", sequence, sequence * 3000, random(length)))
    // A report has a type from 192 to 223, and lengths in it that may lie.
    const report = Buffer.concat([Buffer.from([0x80 | (length & 31), 192 + (length % 32)]), random(10 + length)])
    ann.report(report)
  }
  await eventually(async () => {
    sequence += 1
    ann.send(ann.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("sound")))
    return ben.arrived.some(({ payload }) => payload.toString() === "sound")
  }, "sound after all")
})

test("a flood of one seat is dropped, and the others go on", async () => {
  const house = await openSfu()
  const ann = await house.join("ann", { sent: [MICROPHONE] })
  const eve = await house.join("eve", { sent: [MICROPHONE] })
  const ben = await house.join("ben", { places: PLACES })
  for (let sequence = 1; sequence <= 3000; sequence++)
    eve.send(eve.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("eve")))
  let sequence = 0
  await eventually(async () => {
    sequence += 1
    ann.send(ann.packet(MICROPHONE.ssrc, "audio", sequence, sequence * 960, Buffer.from("ann")))
    return ben.arrived.some(({ payload }) => payload.toString() === "ann")
  }, "the sound of the other person")
  expect(ben.arrived.filter(({ payload }) => payload.toString() === "eve").length).toBeLessThan(1000)
})

test("offers of one session cannot pile up places", async () => {
  const house = await openSfu()
  const { client } = house.invite("ann", { places: { audio: 3, video: 9 } })
  const offerFrom = (mid: number) => client.offer.replaceAll(/a=mid:(\d+)/g, (_, own) => `a=mid:${mid}x${own}`)
  for (const mid of [1, 2, 3]) house.sfu.offer("room", "eve", 7, offerFrom(mid))
  expect(() => house.sfu.offer("room", "eve", 7, offerFrom(4))).toThrow(Malformed)
})

test.for([
  ["nothing", ""],
  ["no section", "v=0\r\na=ice-ufrag:x\r\na=fingerprint:sha-256 AA"],
  ["no fingerprint", "v=0\r\nm=audio 9 X 111\r\na=mid:0\r\na=ice-ufrag:abcd"],
  ["another hash", "v=0\r\nm=audio 9 X 111\r\na=mid:0\r\na=ice-ufrag:abcd\r\na=fingerprint:sha-1 AA"],
  ["no name of a section", "v=0\r\na=fingerprint:sha-256 AA\r\nm=audio 9 X 111\r\na=ice-ufrag:abcd"],
  [
    "a thousand sections",
    `v=0\r\na=ice-ufrag:x\r\na=fingerprint:sha-256 AA${"\r\nm=audio 9 X 111\r\na=mid:0".repeat(1000)}`,
  ],
  ["a megabyte", `v=0\r\n${"a=x\r\n".repeat(250_000)}`],
] as const)("an offer with %s is refused", async ([, sdp]) => {
  const house = await openSfu()
  expect(() => house.sfu.offer("room", "eve", 1, sdp)).toThrow(Malformed)
})

test("a connection that sends more than a packet has is closed", async () => {
  const house = await openSfu()
  const socket = connect(house.sfu.port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => undefined)
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve())
  })
  socket.write(Buffer.alloc(100_000, 0x16))
  await closed
})

test("a certificate with a key of another kind is refused like one of somebody else", async () => {
  const house = await openSfu()
  const { client, answer } = house.invite("eve")
  Object.assign(client.certificate, ED25519)
  const offer = client.offer
  const own = house.sfu.offer("room", "eve", 99, offer)
  expect(own).not.toBe(answer)
  await client.reach(own, house.sfu.port)
  void client.startHandshake()
  await untilTaken(house, client)
  expect(client.isConnected).toBe(false)
})

test("a second session of a person replaces the first one", async () => {
  const house = await openSfu()
  const first = await house.join("ann", { sent: [MICROPHONE] })
  await house.join("ann", { sent: [MICROPHONE] })
  const before = first.datagrams
  first.check()
  await house.join("ben")
  expect(first.datagrams).toBe(before)
})
