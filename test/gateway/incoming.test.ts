/** Incoming frames by the state of their connection: a table by hand of what each state does with each frame. */
import { expect, test } from "vitest"
import { type Incoming, incoming, isClientObject, objectsIn } from "../../src/gateway/frames/incoming.ts"

const FRAMES = {
  heartbeat: { op: 1, d: { t0: 7 } },
  "bad heartbeat": { op: 1, d: {} },
  identify: { op: 2, d: { token: "t", mute: ["reactions"], resume: { epoch: "x", cursors: { event: 1 } } } },
  "bad identify": { op: 2, d: {} },
  command: { op: 3, id: "c", t: "leave", d: {} },
  "bad command": { op: 3, t: "leave" },
  token: { op: 12, id: "c", d: { token: "t" } },
  "token without id": { op: 12, d: { token: "t" } },
  "bad token": { op: 12, id: "c", d: {} },
  "bad token without id": { op: 12, id: 5, d: {} },
} as const

/** A code in brackets belongs to the frame's id. */
const TABLE = `
                        new             identifying     waiting         lobby        open
  heartbeat             heartbeat       heartbeat       heartbeat       heartbeat    heartbeat
  bad heartbeat         bad_request     bad_request     bad_request     bad_request  bad_request
  identify              identify        4300            4300            4300         4300
  bad identify          4300            4300            4300            4300         4300
  command               [unauthorized]  [unauthorized]  [unauthorized]  [forbidden]  command
  bad command           bad_request     bad_request     bad_request     bad_request  bad_request
  token                 [unauthorized]  [unauthorized]  [unauthorized]  renew        renew
  token without id      unauthorized    unauthorized    unauthorized    renew        renew
  bad token             [bad_request]   [bad_request]   [bad_request]   [bad_request]  [bad_request]
  bad token without id  bad_request     bad_request     bad_request     bad_request  bad_request
`

const STATES = ["new", "identifying", "waiting", "lobby", "open"] as const

const inWords = (decision: Incoming): string => {
  if (decision.type === "close") return String(decision.why.code)
  if (decision.type !== "refuse") return decision.type
  return decision.id === undefined ? decision.refusal.code : `[${decision.refusal.code}]`
}

const cells = TABLE.trim()
  .split("\n")
  .slice(1)
  .map((line) => line.trim().split(/ {2,}/))
  .flatMap(([frame = "", ...words]) => STATES.map((state, n) => ({ frame, state, words: words[n] ?? "" })))

test("the table has each frame, and each state does with it what the table says", () => {
  expect([...new Set(cells.map(({ frame }) => frame))]).toEqual(Object.keys(FRAMES))
  for (const { frame, state, words } of cells) {
    const object: unknown = FRAMES[frame as keyof typeof FRAMES]
    if (!isClientObject(object)) throw new Error("no object of a client")
    expect([frame, state, inWords(incoming(state, object))]).toEqual([frame, state, words])
  }
})

test("a valid frame is passed on with its data", () => {
  expect(incoming("open", FRAMES.heartbeat)).toEqual({ type: "heartbeat", t0: 7 })
  expect(incoming("new", FRAMES.identify)).toEqual({ type: "identify", ...FRAMES.identify.d })
  expect(incoming("open", FRAMES.command)).toEqual({ type: "command", frame: FRAMES.command })
  expect(incoming("lobby", FRAMES.token)).toEqual({ type: "renew", id: "c", token: "t" })
  expect(incoming("lobby", FRAMES.command)).toMatchObject({ id: "c" })
})

test("frames of the server, unknown ones and other values are not a client's", () => {
  for (const value of [{ op: 0 }, { op: 4 }, { op: 10 }, { op: "1" }, { op: [1] }, {}, [], null, 1, "x"]) {
    expect([value, isClientObject(value)]).toEqual([value, false])
  }
})

const bytes = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text)).buffer

test("a frame is one object or several, of limited length and number; all else closes the connection", () => {
  expect(objectsIn(bytes('{"op":1}'))).toEqual([{ op: 1 }])
  expect(objectsIn(bytes('[{"op":1},2]'))).toEqual([{ op: 1 }, 2])
  expect(objectsIn(bytes("[]"))).toEqual([])
  expect(objectsIn(bytes(JSON.stringify(Array(32).fill(1))))).toHaveLength(32)
  expect(objectsIn(bytes(JSON.stringify(Array(33).fill(1))))).toMatchObject({
    code: 4301,
    reason: "frame: more than 32 objects",
  })
  const longest = `"${"x".repeat(16_382)}"`
  expect([objectsIn(bytes(longest)), objectsIn(bytes(`${longest} `))]).toMatchObject([
    [{}],
    { code: 4301, reason: "frame: more than 16384 bytes" },
  ])
  for (const text of ["", "{", "[".repeat(5000)]) {
    expect(objectsIn(bytes(text))).toMatchObject({ code: 4300, reason: "frame: not JSON" })
  }
})
