import { describe, expect, test } from "vitest"
import { isShown, newQuestion, qaPhase, questionCreated, statusAfter } from "../../src/model/question.ts"

const phase = (id: string, status: "pending" | "active" | "ended", featureSet: ReadonlyArray<string>, config = {}) => ({
  id,
  status,
  featureSet,
  config,
})

describe("the phase that takes questions", () => {
  const talk = phase("talk", "active", ["chat"])
  const qa = phase("qa", "pending", ["chat", "qa"])

  test("is the active one of a live event, and only if it has Q&A", () => {
    expect(qaPhase({ status: "live", phases: [talk, qa] })).toBe("feature_disabled")
    const active = { ...qa, status: "active" as const }
    expect(qaPhase({ status: "live", phases: [phase("talk", "ended", ["qa"]), active] })).toBe(active)
    expect(qaPhase({ status: "live", phases: [] })).toBe("feature_disabled")
  })

  test("is the first with Q&A before the event starts", () => {
    const first = phase("first", "pending", ["qa"])
    expect(qaPhase({ status: "scheduled", phases: [phase("talk", "pending", []), first, qa] })).toBe(first)
    expect(qaPhase({ status: "scheduled", phases: [phase("talk", "pending", [])] })).toBe("feature_disabled")
  })

  test("is none before the event is published and after it has ended", () => {
    for (const status of ["draft", "ended"] as const) expect(qaPhase({ status, phases: [qa] })).toBe("not_open")
  })
})

describe("a new question", () => {
  const asked = {
    id: "q",
    eventId: "e",
    phase: phase("p", "active", ["qa"]),
    author: { userId: "u", name: "Ada" },
    text: "  Why?\n",
    anonymous: false,
    at: "2030-01-01T00:00:00.000Z",
  }

  test("has its author's name and id, and is shown", () => {
    expect(newQuestion(asked)).toMatchObject({
      phaseId: "p",
      text: "Why?",
      status: "approved",
      authorUserId: "u",
      authorName: "Ada",
      anonymous: false,
      votes: 0,
    })
  })

  test("has neither when it is asked anonymously or by nobody known", () => {
    for (const how of [{ anonymous: true }, { author: null }, { author: null, anonymous: true }]) {
      const question = newQuestion({ ...asked, ...how })
      expect(question).toMatchObject({ authorUserId: null, authorName: null, anonymous: true })
      expect(questionCreated(question)).toEqual({ questionId: "q", text: "Why?", anonymous: true })
    }
  })

  test("of a guest has a name, and its webhook names no user", () => {
    const question = newQuestion({ ...asked, author: { userId: null, name: "Guest" } })
    expect(question).toMatchObject({ authorUserId: null, authorName: "Guest", anonymous: false })
    expect(questionCreated(question)).toEqual({ questionId: "q", text: "Why?", anonymous: false })
  })

  test("waits for a moderator in a moderated phase", () => {
    const moderated = newQuestion({ ...asked, phase: phase("p", "active", ["qa"], { moderated: true }) })
    expect(moderated.status).toBe("pending")
  })

  test("belongs to no phase before the event starts", () => {
    expect(newQuestion({ ...asked, phase: phase("p", "pending", ["qa"]) }).phaseId).toBeNull()
  })
})

test("an answer alone answers the question; a status given beside it wins", () => {
  expect(statusAfter({ answer: "So." })).toBe("answered")
  expect(statusAfter({ answer: "So.", status: "hidden" })).toBe("hidden")
  expect(statusAfter({ pinned: true })).toBeNull()
})

test("the public sees approved and answered questions", () => {
  expect((["pending", "approved", "answered", "hidden"] as const).filter(isShown)).toEqual(["approved", "answered"])
})
