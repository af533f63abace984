/** Events between nodes of two releases: one that knew no reminders answers without them. */
import { Schema } from "effect"
import { expect, test } from "vitest"
import { Answer } from "../../src/actors/commands.ts"
import { agenda } from "../../src/http/contract/examples/example-objects.ts"

const answered = (event: object) =>
  Schema.decodeUnknownSync(Answer)({ version: 1, duplicate: false, result: {}, event }).event

test("an answer of a node that knew no reminders is read, and one that does keeps them as they are", () => {
  const { reminders: _, ...older } = agenda
  expect(answered(older)).toMatchObject({ id: agenda.id, reminders: true })
  expect(answered({ ...agenda, reminders: false })).toMatchObject({ id: agenda.id, reminders: false })
})
