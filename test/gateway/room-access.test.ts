/** Who may be in which room of the media server: the table by hand, and a law over all sequences of messages. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { LiveReading } from "../../src/actors/protocol.ts"
import { type ActivePhase, NO_PHASE, type ParticipantChange } from "../../src/actors/state/state.ts"
import { type Expulsion, RoomAccess } from "../../src/gateway/expulsion/room-access.ts"
import { misplaced, roomsByEvent } from "../../src/gateway/expulsion/room-sweep.ts"

const EVENT = "00000000-0000-7000-8000-00000000000e"
const MEETING: ActivePhase = { ...NO_PHASE, id: "phase1", modality: "meeting" }
const MAIN = `${EVENT}:phase1`
const named = (room: string) => `${EVENT}:${room}`

type Snapshot = LiveReading["snapshot"]
const access = (given: Partial<Snapshot> = {}, status = "live"): RoomAccess =>
  new RoomAccess(EVENT, {
    snapshot: {
      phase: MEETING,
      event: { status },
      seats: {},
      removed: [],
      admissions: {},
      roles: {},
      ...given,
    } as unknown as Snapshot,
  })

const message = (
  changes: ReadonlyArray<ParticipantChange>,
  given: Partial<Parameters<RoomAccess["apply"]>[0]> = {},
) => ({
  phase: MEETING,
  status: "live" as const,
  participantChanges: changes,
  ejections: [],
  ...given,
})

const people = (...identities: ReadonlyArray<string>) => identities.map((identity) => ({ identity, metadata: "" }))
const expel = (room: string, participantId = "ada"): Expulsion => ({ type: "expel", room, participantId })
const moved = (one: Expulsion): Expulsion => ({ ...one, isMove: true })

test.each<[string, Partial<Snapshot>, ParticipantChange, ReadonlyArray<Expulsion>]>([
  ["into a first room", {}, { participantId: "ada", roomId: "red" }, []],
  [
    "to another room, whose first one somebody else is in",
    { seats: { ada: "red", bob: "red" } },
    { participantId: "ada", roomId: "blue" },
    [moved(expel(named("red")))],
  ],
  [
    "to another room, whose first one is empty then",
    { seats: { ada: "red" } },
    { participantId: "ada", roomId: "blue" },
    [moved({ type: "close", room: named("red") })],
  ],
  [
    "back to the main room",
    { seats: { ada: "red", bob: "red" } },
    { participantId: "ada", roomId: null },
    [moved(expel(named("red")))],
  ],
  [
    "barred",
    { seats: { ada: "red", bob: "red" } },
    { participantId: "ada", barred: true },
    [expel(MAIN), expel(named("red"))],
  ],
  ["sent to the waiting room", {}, { participantId: "ada", admission: "waiting" }, [expel(MAIN)]],
  ["refused in the waiting room", {}, { participantId: "ada", admission: "denied" }, [expel(MAIN)]],
  ["admitted", { admissions: { ada: "held" } }, { participantId: "ada", admission: "admitted" }, []],
  ["made a viewer", {}, { participantId: "ada", role: "viewer" }, [expel(MAIN)]],
  ["made a host", {}, { participantId: "ada", role: "host" }, []],
  ["without a change", {}, { participantId: "ada" }, []],
])("a participant %s", (_what, snapshot, change, expected) => {
  expect(access(snapshot).apply(message([change]))).toEqual(expected)
})

test("a participant whose role on a stage ended leaves it", () => {
  const stage: ActivePhase = { ...MEETING, modality: "broadcast" }
  const on = access({ phase: stage, roles: { ada: "speaker" } })
  expect(on.apply(message([{ participantId: "ada", role: null }], { phase: stage }))).toEqual([expel(MAIN)])
})

test("a role that was lost while messages were missed has no place in the call", () => {
  const stage: ActivePhase = { ...MEETING, modality: "broadcast" }
  const on = access({ phase: stage, roles: { ada: "speaker", bob: "speaker" } })
  expect(on.become(access({ phase: stage, roles: { bob: "speaker" } }))).toEqual([expel(MAIN)])
  expect(access().become(access({ roles: { eve: "viewer" } }))).toEqual([expel(MAIN, "eve")])
})

test("another phase, and the end, close the main room; a draft has none", () => {
  const next: ActivePhase = { ...MEETING, id: "phase2" }
  const stage: ActivePhase = { ...next, modality: "broadcast" }
  expect(access().apply(message([], { phase: next }))).toEqual([moved({ type: "close", room: MAIN })])
  expect(access().apply(message([], { phase: stage }))).toEqual([{ type: "close", room: MAIN }])
  expect(access().apply(message([], { status: "ended" }))).toEqual([{ type: "close", room: MAIN }])
  expect(access({}, "draft").rooms).toEqual(new Set())
})

test("who is removed leaves at once, also the rooms that they were moved from and may still be in", () => {
  const removal = { who: "participant", participantId: "ada", reason: "removed" } as const
  const rooms = access({ seats: { ada: "red", bob: "red" } })
  rooms.apply(message([{ participantId: "ada", roomId: "blue" }]))
  const phase = { ...MEETING, id: "phase2" }
  rooms.apply(message([], { phase }))
  expect(rooms.apply(message([], { phase, ejections: [removal] }))).toEqual([
    expel(`${EVENT}:phase2`),
    expel(named("blue")),
    expel(named("red")),
    expel(MAIN),
  ])
  const both = access({ seats: { ada: "red" } })
  expect(both.apply(message([{ participantId: "ada", roomId: null }], { ejections: [removal] }))).toEqual([
    moved({ type: "close", room: named("red") }),
    expel(MAIN),
    expel(named("red")),
  ])
})

test("an ejection is a removal", () => {
  const removal = { who: "participant", participantId: "ada", reason: "removed" } as const
  const rooms = access()
  expect(rooms.apply(message([], { ejections: [removal] }))).toEqual([expel(MAIN)])
  expect(rooms.roomsOf("ada")).toEqual([])
})

test("a sweep knows the rooms of events by their names, and people without a seat", () => {
  const other = "00000000-0000-7000-8000-00000000000f"
  const [a, b] = [`${EVENT}:${other}`, `${other}:${EVENT}`]
  expect(roomsByEvent([a, "lounge", b, `${EVENT}:lobby`, `x${a}`])).toEqual(
    new Map([
      [EVENT, [a]],
      [other, [b]],
    ]),
  )
  const rooms = access({ seats: { ada: "red" }, removed: ["eve"] })
  const open = [
    { name: MAIN, people: people("ada", "bob", "eve") },
    { name: named("red"), people: people("ada", "bob") },
    { name: named("blue"), people: people("bob") },
  ]
  expect(misplaced(rooms, open)).toEqual([
    expel(MAIN, "eve"),
    expel(named("red"), "bob"),
    { type: "close", room: named("blue") },
  ])
})

const person = fc.constantFrom("ada", "bob", "eve")
const change: fc.Arbitrary<ParticipantChange> = fc.record(
  {
    participantId: person,
    roomId: fc.constantFrom(null, "red", "blue"),
    admission: fc.constantFrom("admitted" as const, "waiting" as const, "denied" as const),
    barred: fc.boolean(),
    role: fc.constantFrom("viewer" as const, "participant" as const, "host" as const),
  },
  { requiredKeys: ["participantId"] },
)
const step = fc.record({
  changes: fc.array(change, { maxLength: 3 }),
  phase: fc.constantFrom(MEETING, { ...MEETING, id: "phase2" }),
  status: fc.constantFrom("live" as const, "ended" as const),
})

/** The people in each room as the media server has them: all go to every room that they may be in, and leave when they are expelled. */
const inRooms = (rooms: RoomAccess): ReadonlyArray<string> =>
  ["ada", "bob", "eve"].flatMap((who) => rooms.roomsOf(who).map((room) => `${room} ${who}`))

const hits = (place: string, one: Expulsion): boolean =>
  one.type === "close" ? place.startsWith(`${one.room} `) : place === `${one.room} ${one.participantId}`

test("after any messages nobody is in a room that they may not be in", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const rooms = access()
      for (const { changes, phase, status } of steps) {
        const there = inRooms(rooms)
        const expulsions = rooms.apply(message(changes, { phase, status }))
        const left = there.filter((place) => !expulsions.some((one) => hits(place, one)))
        expect(inRooms(rooms)).toEqual(expect.arrayContaining(left))
        expect(rooms.become(rooms)).toEqual([])
      }
    }),
  )
})
