import { describe, expect, test } from "vitest"
import {
  entryLetter,
  invitationLetter,
  type Letter,
  resetLetter,
  tableNotesLetter,
  verificationLetter,
} from "../../src/mail/letters.ts"

const URL_ = "https://app.example/x?token=t"
const NO_MORE = "https://app.example/unsubscribe/u"
const BAIT = "URGENT:\r\nBcc: x@evil.example go to https://evil.example/login or www.evil.example\u202e now"

const LETTERS: ReadonlyArray<readonly [string, (text: string) => Letter]> = [
  ["verification", (text) => verificationLetter("a@example.com", text, URL_)],
  ["reset", (text) => resetLetter("a@example.com", text, URL_)],
  [
    "invitation to a workspace",
    (text) => invitationLetter("a@example.com", { workspace: text, event: null, role: "member" }, URL_, NO_MORE),
  ],
  [
    "invitation to an event",
    (text) => invitationLetter("a@example.com", { workspace: text, event: text, role: "viewer" }, URL_, NO_MORE),
  ],
  ["entry", (text) => entryLetter("a@example.com", { name: text, event: text, when: null }, URL_)],
  ["table notes", (text) => tableNotesLetter("a@example.com", { name: text, event: text }, URL_, NO_MORE)],
]

describe.each(LETTERS)("a letter of %s", (_name, letterWith) => {
  test("leads nowhere but to this server, and its subject is one short line", () => {
    const letter = letterWith(BAIT)
    expect(letter.subject).not.toMatch(/evil\.example|:\/\/|www\.|[\p{Cc}\p{Cf}]/u)
    for (const body of [letter.text, letter.html]) {
      expect(body.replaceAll(URL_, "").replaceAll(NO_MORE, "")).not.toMatch(/evil\.example|:\/\/|www\.|\u202e/)
      expect(body).toContain(URL_)
    }
    expect(letterWith("x".repeat(5000)).subject.length).toBeLessThan(140)
  })

  test("escapes text from users", () => {
    expect(letterWith(`<b>"A"</b>`).html).not.toContain("<b>")
  })
})

test("a subject holds no text of users beyond the title of an event or the name of a workspace", () => {
  const subjects = LETTERS.map(([, letterWith]) => letterWith("Analytical Engines").subject)
  expect(subjects).toEqual([
    "Confirm your e-mail address",
    "Choose a new password",
    "You are invited to Analytical Engines",
    "You are invited to Analytical Engines",
    "Your place at Analytical Engines",
    "Notes of your table at Analytical Engines",
  ])
})

test("a link is escaped in HTML and stands as it is in plain text", () => {
  const letter = verificationLetter("a@example.com", "Ada", "https://app.example/?a=1&b=2")
  expect(letter.html).toContain('href="https://app.example/?a=1&amp;b=2"')
  expect(letter.text).toContain("https://app.example/?a=1&b=2")
})

test("an entry letter says when the event begins in words, and in which zone", () => {
  const entry = { name: "Ada", event: "Launch", when: "2027-03-01T17:00:00.000Z" as const }
  expect(entryLetter("a@example.com", entry, URL_).text).toContain("which begins on Monday, 1 March 2027 at 17:00 UTC.")
})
