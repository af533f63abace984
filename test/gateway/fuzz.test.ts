import type { Schema } from "effect"
import fc from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { COMMANDS } from "../../src/protocol/contract.ts"
import type { Client } from "./client.ts"
import { NO_LIMITS, type Stage, sharedHouse } from "./house.ts"

// No limits here: it is the parsing that is tried.
const house = sharedHouse({ budgets: NO_LIMITS, identifiesPerSecond: 1e6 })
let stage: Stage

beforeAll(async () => {
  stage = await house.stage([{ modality: "meeting" }])
})

/** The codes with which the server may answer what is no protocol of ours. */
const PROTOCOL_CLOSES = [4300, 4301, 4101, 4200]

let joins = 0
const fresh = () => house.join(stage, `fuzz:${joins++}`, "viewer")

const answers = async (client: Client): Promise<boolean> => {
  const t0 = Math.random()
  client.send({ op: 1, d: { t0 } })
  return client
    .next((frame) => frame.op === 11 && frame.d.t0 === t0)
    .then(() => true)
    .catch(() => false)
}

const op = fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 7, 10, 11, 12, 13), fc.integer())
const object = fc.record(
  {
    op,
    id: fc.oneof(fc.string(), fc.jsonValue()),
    t: fc.oneof(fc.string(), fc.jsonValue()),
    d: fc.jsonValue(),
    rev: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

test("whatever JSON comes, the server answers or closes with a code of the protocol", async () => {
  let client = await fresh()
  await fc.assert(
    fc.asyncProperty(fc.oneof(object, fc.array(object, { maxLength: 40 }), fc.jsonValue()), async (frame) => {
      client.sendText(JSON.stringify(frame) ?? "")
      if (await answers(client)) return
      expect(PROTOCOL_CLOSES).toContain(await client.closeCode())
      client = await fresh()
    }),
    { numRuns: 150 },
  )
})

/** Texts that have broken parsers and stores: NUL, half of a pair, names of an object's own machinery. */
const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\u0000", "\ud800", "__proto__", "constructor", "a".repeat(2000)),
)
const anything = fc.oneof(fc.jsonValue({ maxDepth: 4 }), nasty)

/** Bodies with the right keys, so that the values get as far as they can. */
const bodyOf = (t: keyof typeof COMMANDS, phaseIds: ReadonlyArray<string>) => {
  const values: Record<string, fc.Arbitrary<unknown>> = {
    phaseId: fc.constantFrom(...phaseIds),
    timerId: fc.constantFrom(...phaseIds),
    seconds: fc.integer({ min: 0, max: 4000 }),
    text: nasty,
    id: nasty,
    config: fc.dictionary(nasty, anything, { maxKeys: 5 }),
    featureSet: fc.array(fc.oneof(fc.constantFrom("qa", "chat"), nasty), { maxLength: 4 }),
    cursors: fc.dictionary(fc.constantFrom("event", "staff", "room:1"), fc.integer()),
  }
  const schema: Schema.Top = COMMANDS[t].data
  const keys = "fields" in schema ? Object.keys(schema.fields as object) : ["id", "ids", "all"]
  return fc.oneof(
    anything,
    fc.record(
      Object.fromEntries(
        keys.map((key) => [key, fc.oneof({ weight: 4, arbitrary: values[key] ?? anything }, anything)]),
      ),
      {
        requiredKeys: [],
      },
    ),
  )
}

const RUNS = 20

const NAMES = (Object.keys(COMMANDS) as ReadonlyArray<keyof typeof COMMANDS>).filter(
  (t) => t !== "leave" && t !== "event.end",
)

let ground: Stage
let sender: Client
beforeAll(async () => {
  // More phases than runs, so that no run of advances comes to the end.
  const agenda = Array.from({ length: RUNS + 1 }, () => ({
    modality: "meeting" as const,
    config: { durationSeconds: 600 },
  }))
  ground = await house.stage(agenda)
  sender = await house.join(ground, "host", "host")
})

test("every command with any body is answered, and the socket goes on", async () => {
  for (const t of NAMES) {
    await fc.assert(
      fc.asyncProperty(bodyOf(t, ground.phaseIds), fc.option(fc.integer()), async (d, rev) => {
        const reply = await sender.command(t, d as object, rev === null ? {} : { rev })
        if (!reply.ok) expect(reply.e.code, t).not.toBe("internal_error")
      }),
      // Shrinking would send more.
      { numRuns: RUNS, endOnFailure: true },
    )
    expect(await answers(sender), t).toBe(true)
  }
})
