/** Seats in the media server, read with the verifier of its own library. */
import { Effect, Redacted } from "effect"
import { TokenVerifier } from "livekit-server-sdk"
import { expect, test } from "vitest"
import type { KeyRing } from "../../src/crypto/secret-key.ts"
import { Media, mediaRoomOf, type SeatRequest } from "../../src/media/seats.ts"
import { Modality, narrowRole } from "../../src/model/modality.ts"
import { EventRole } from "../../src/model/roles.ts"

const SECRET = "a secret of the media server's, long enough"
const SERVER = { url: "wss://media.example.com", apiKey: "key", apiSecret: Redacted.make(SECRET) }
const SEAT: SeatRequest = {
  eventId: "01990000-0000-7000-8000-000000000001",
  phaseId: "01990000-0000-7000-8000-000000000003",
  roomId: null,
  participantId: "guest:01990000-0000-7000-8000-000000000002",
  name: "Grace Höpper",
  role: "participant",
  modality: "meeting",
  ground: { as: "viewer", participantId: "guest:01990000-0000-7000-8000-000000000002", role: "participant" },
  given: null,
}
const TWO_MINUTES = 120
const KEYS: KeyRing = [new Uint8Array(32).fill(1)]

const ask = (seat: Partial<SeatRequest>, server: typeof SERVER | null = SERVER) =>
  Effect.runPromise(
    Effect.flatMap(Media, (media) => media.tokenFor({ ...SEAT, ...seat })).pipe(
      Effect.provide(Media.layer(server, KEYS)),
    ),
  )

const basisOf = (room: string, participantId: string, metadata: string, keys = KEYS) =>
  Effect.runPromise(
    Effect.map(Media, (media) => media.basisOf(room, participantId, metadata)).pipe(
      Effect.provide(Media.layer(SERVER, keys)),
    ),
  )

const read = async (seat: Partial<SeatRequest>) => {
  const granted = await ask(seat)
  if (granted === null) throw new Error("no seat")
  return new TokenVerifier(SERVER.apiKey, SECRET).verify(granted.token)
}

test("a participant may publish and subscribe, under its own id and name, in the phase's room, for two minutes", async () => {
  expect(await ask({})).toMatchObject({ provider: "livekit", url: SERVER.url })
  const { sub, name, iss, nbf = 0, exp = 0, video } = await read({})
  expect({ sub, name, iss }).toEqual({ sub: SEAT.participantId, name: SEAT.name, iss: SERVER.apiKey })
  expect(exp - nbf).toBe(TWO_MINUTES)
  const room = `${SEAT.eventId}:${SEAT.phaseId}`
  const seat = { room, roomJoin: true, canPublish: true, canSubscribe: true, canPublishData: false }
  expect(video).toEqual(seat)
})

test("a room beside the main one is a room of its own", async () => {
  const { video } = await read({ roomId: "blue", modality: "breakout" })
  expect(video?.room).toBe(`${SEAT.eventId}:blue`)
  expect(mediaRoomOf({ ...SEAT, roomId: null })).not.toBe(mediaRoomOf({ ...SEAT, phaseId: "the next", roomId: null }))
})

test("each role has the seat of its narrowed role, in each modality", async () => {
  for (const modality of Modality.literals) {
    for (const role of EventRole.literals) {
      if (narrowRole(role, modality) === "viewer") {
        expect(await ask({ role, modality }), `${role} in ${modality}`).toBeNull()
        continue
      }
      const { video } = await read({ role, modality })
      // No seat may change metadata, which says what the seats of others rest on.
      const seat = [video?.canPublish, video?.canSubscribe, video?.roomAdmin]
      expect(seat, `${role} in ${modality}`).toEqual([true, true, undefined])
    }
  }
})

test("a token names what it rests on to this server alone, for its room and participant", async () => {
  const before = Date.now()
  const { metadata = "", video } = await read({ role: "host", given: "host" })
  const room = video?.room ?? ""
  const basis = await basisOf(room, SEAT.participantId, metadata)
  expect(basis).toEqual({ ground: SEAT.ground, given: "host", givenAt: expect.any(Number) })
  if (basis === undefined || basis === "forged") throw new Error("the token names nothing")
  expect(basis.givenAt).toBeGreaterThanOrEqual(before)
  expect(Buffer.from(metadata, "base64url").toString("latin1")).not.toContain(SEAT.participantId)
  expect(await basisOf(`${room}x`, SEAT.participantId, metadata)).toBe("forged")
  expect(await basisOf(room, "guest:other", metadata)).toBe("forged")
  expect(await basisOf(room, SEAT.participantId, metadata, [new Uint8Array(32).fill(2)])).toBe("forged")
  expect(await basisOf(room, SEAT.participantId, "")).toBeUndefined()
  expect((await read({ ground: undefined })).metadata ?? "").toBe("")
})

test("a token of another secret is none", async () => {
  const other = { ...SERVER, apiSecret: Redacted.make("another secret, as long as it has to be") }
  const granted = await ask({}, other)
  await expect(new TokenVerifier(SERVER.apiKey, SECRET).verify(granted?.token ?? "")).rejects.toThrow()
})

test("without a media server nobody has a seat", async () => {
  expect(await ask({ role: "host" }, null)).toBeNull()
})
