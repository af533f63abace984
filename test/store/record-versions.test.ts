import { Result, Schema } from "effect"
import { expect, test } from "vitest"
import { STORED_KINDS } from "../../src/model/live/live-records.ts"
import { decodeRecord, RecordUnreadable, upgraded, versionOf } from "../../src/store/record-versions.ts"

test("a record is read by the schema of its kind", () => {
  expect(Result.getOrThrow(decodeRecord("seat", 1, { roomId: "r", away: false }))).toEqual({
    kind: "seat",
    record: { roomId: "r", away: false },
  })
  expect(Result.getOrThrow(decodeRecord("originVotes", 1, 3))).toEqual({ kind: "originVotes", record: 3 })
})

test("a record of another version or kind, or with another body, is refused with a sentence that holds nothing of it", () => {
  for (const [_, kind, version, body, message] of [
    [
      "of a newer version",
      "seat",
      2,
      { roomId: "r", away: false },
      /kind seat has version 2, and this release reads up to 1/,
    ],
    ["of a kind that there is not", "sofa", 1, {}, /no records of kind sofa/],
    [
      "that is not what its version says",
      "seat",
      1,
      { roomId: "private", away: "yes" },
      /^A record of kind seat is not/,
    ],
    ["of a version that never was", "seat", 0, {}, /Nothing reads version 0/],
  ] as const) {
    const refused = Result.getOrThrow(Result.flip(decodeRecord(kind, version, body)))
    expect(refused).toBeInstanceOf(RecordUnreadable)
    expect(refused.message).toMatch(message)
    expect(refused.message).not.toMatch(/private/)
  }
})

test("an older record is brought up by one step for each version between", () => {
  const kind = {
    version: 3,
    schema: Schema.Struct({ seats: Schema.Int, name: Schema.String }),
    older: {
      1: (body: unknown) => ({ seats: body }),
      2: (body: unknown) => ({ ...(body as object), name: "Room" }),
    },
  }
  expect(Result.getOrThrow(upgraded("room", 1, 4, kind))).toEqual({ seats: 4, name: "Room" })
  expect(Result.getOrThrow(upgraded("room", 2, { seats: 5 }, kind))).toEqual({ seats: 5, name: "Room" })
  expect(Result.getOrThrow(upgraded("room", 3, { seats: 6, name: "A" }, kind))).toEqual({ seats: 6, name: "A" })
})

test("every kind is written in the version that is read without a step", () => {
  for (const [kind, { version }] of Object.entries(STORED_KINDS)) expect(versionOf(kind)).toBe(version)
})
