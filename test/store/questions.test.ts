/** The position in a list of questions, which comes back from clients. */
import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { decodeQuestionCursor } from "../../src/store/events/questions.ts"

const AT = "2030-01-01T00:00:00.000Z"

test("a cursor holds a whole position or is none", () => {
  const cursor = (text: string) => decodeQuestionCursor(Buffer.from(text).toString("base64url"))
  const id = newId()
  expect(cursor(`3 ${AT} ${id}`)).toEqual({ votes: 3, createdAt: AT, id })
  for (const text of ["", `${AT} ${id}`, `-1 ${AT} ${id}`, `1.5 ${AT} ${id}`, `9999999999 ${AT} ${id}`, `3 ${AT} x`]) {
    expect(cursor(text), text).toBeUndefined()
  }
  expect(cursor(`3 ${AT} ${id} more`)).toBeUndefined()
})
