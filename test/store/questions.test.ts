/** What the statements do when the row that they are about is gone: an event or a question deleted a moment before. */
import { expect, test } from "vitest"
import { NotFound } from "../../src/model/errors.ts"
import { newId } from "../../src/model/ids.ts"
import { newQuestion } from "../../src/model/question.ts"
import { decodeQuestionCursor, insertQuestion, moderateQuestion, setVote } from "../../src/store/questions.ts"
import { openOutbox } from "../support/webhooks.ts"

const AT = "2030-01-01T00:00:00.000Z"

test("a question about an event that is gone is refused as such", async () => {
  const { sql, workspaceId } = await openOutbox()
  const phase = { id: newId(), status: "pending", config: {}, featureSet: ["qa"] } as const
  const asked = { id: newId(), eventId: newId(), phase, author: null, text: "Why?", anonymous: true, at: AT }
  const insert = sql.begin((tx) => insertQuestion(tx, newQuestion(asked), { id: newId(), workspaceId }))
  await expect(insert).rejects.toBeInstanceOf(NotFound)
  expect(await sql`select 1 from outbox_messages`).toHaveLength(0)
})

test("a question that is gone takes no vote and no moderation", async () => {
  const { sql } = await openOutbox()
  for (const isOn of [true, false]) expect(await setVote(sql, newId(), "anon:x", isOn)).toBeUndefined()
  expect(await moderateQuestion(sql, newId(), { pinned: true }, AT)).toBeUndefined()
})

test("a cursor holds a whole position or is none", () => {
  const cursor = (text: string) => decodeQuestionCursor(Buffer.from(text).toString("base64url"))
  const id = newId()
  expect(cursor(`3 ${AT} ${id}`)).toEqual({ votes: 3, createdAt: AT, id })
  for (const text of ["", `${AT} ${id}`, `-1 ${AT} ${id}`, `1.5 ${AT} ${id}`, `9999999999 ${AT} ${id}`, `3 ${AT} x`]) {
    expect(cursor(text), text).toBeUndefined()
  }
  expect(cursor(`3 ${AT} ${id} more`)).toBeUndefined()
})
