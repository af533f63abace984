/** The faults of a value in words, and the pages' way to read them. */
import { Result, Schema } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { faultsIn } from "../../packages/web/src/api/faults-in.ts"
import { EventInput } from "../../src/model/event.ts"
import { faultsOf, faultText } from "../../src/model/schema-faults.ts"

const faultsFor = (schema: Schema.Codec<unknown, unknown>, value: unknown): string => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(value)
  return Result.isFailure(decoded) ? faultText(faultsOf(decoded.failure.issue), "body") : ""
}

test("every fault has its place and its reason, and no value", () => {
  const faults = faultsFor(EventInput as unknown as Schema.Codec<unknown, unknown>, {
    title: "",
    type: "secret-type".repeat(10),
    capacity: 0,
    phases: [{ modality: "secret; party: hard", config: { durationSeconds: 0 } }],
  })
  expect(faults).not.toContain("secret")
  expect(faultsIn(faults)).toEqual(
    new Map([
      ["type", "Expected a value with a length between 1 and 80"],
      ["title", "Expected a value with a length between 1 and 300"],
      ["capacity", "Expected a value between 1 and 100000"],
      ["phases.0.config.durationSeconds", "Expected a value between 1 and 86400"],
      ["phases.0.modality", 'Expected "broadcast" | "meeting" | "breakout" | "rotation"'],
    ]),
  )
})

test.each([
  [5, 0, undefined],
  [6, 1, "fault"],
  [9, 4, "faults"],
])("of %i faults five are told, and that there are %i more", (count, more, word) => {
  const schema = Schema.Struct(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, Schema.String])))
  const text = faultsFor(schema, {})
  expect(text.endsWith(word === undefined ? "f4: Missing key." : `; and ${more} more ${word}.`)).toBe(true)
  expect([...faultsIn(text)]).toEqual(Array.from({ length: 5 }, (_, n) => [`f${n}`, "Missing key"]))
})

const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,9}$/)
/** A reason may have signs that divide faults, but nothing like the beginning of another. */
const reason = fc.stringMatching(/^[a-z][a-z ,.;|"(]{0,40}[a-z]$/)

test("the pages read every fault that is written, at its place", () => {
  const field = fc.record({ name, inList: fc.boolean(), reason })
  const fields = fc.uniqueArray(field, { minLength: 1, maxLength: 5, selector: (one) => one.name })
  fc.assert(
    fc.property(fields, (given) => {
      const refusing = (why: string) => Schema.String.check(Schema.makeFilter(() => why))
      const schema = Schema.Struct(
        Object.fromEntries(
          given.map((one) => {
            const value = refusing(one.reason)
            return [one.name, one.inList ? Schema.Array(Schema.Struct({ of: value })) : value] as const
          }),
        ),
      )
      const body = Object.fromEntries(given.map((one) => [one.name, one.inList ? [{ of: "x" }] : "x"]))
      const faults = faultsIn(faultsFor(schema as unknown as Schema.Codec<unknown, unknown>, body))
      expect(new Map(faults)).toEqual(
        new Map(given.map((one) => [one.inList ? `${one.name}.0.of` : one.name, one.reason])),
      )
    }),
  )
})

test("a fault of the body as a whole stands under its name, and several of one place together", () => {
  expect(faultsIn(faultsFor(Schema.Struct({ a: Schema.String }), []))).toEqual(new Map([["body", "Expected object"]]))
  expect(faultsIn("phaseIds: a is missing; phaseIds: b is there twice.")).toEqual(
    new Map([["phaseIds", "a is missing; b is there twice"]]),
  )
})

test.each(["", "Give exactly one of jwksUrl and publicKeyPem.", "You belong to several workspaces; send one: x"])(
  "%j names no fault",
  (detail) => {
    expect(faultsIn(detail)).toEqual(new Map())
  },
)
