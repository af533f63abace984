import { describe, expect, test } from "vitest"
import {
  entryLetter,
  invitationLetter,
  type Letter,
  resetLetter,
  tableNotesLetter,
  verificationLetter,
} from "../../src/mail/letters.ts"

const URL_ = "https://app.example/x#token=t"
const NO_MORE = "https://app.example/unsubscribe/u"
const BAIT = "URGENT:\r\nBcc: x@evil.example go to https://evil.example/login or www.evil.example\u202e now"
const TITLE = "Node.js meetup 👨‍👩‍👧 می‌خواهم (https://events.example)"

/** Each with the name of a stranger, and with the title or the name that a member wrote. */
const LETTERS: ReadonlyArray<readonly [string, (stranger: string, member: string) => Letter]> = [
  ["verification", (stranger) => verificationLetter("a@example.com", stranger, URL_)],
  ["reset", (stranger) => resetLetter("a@example.com", stranger, URL_)],
  [
    "invitation to a workspace",
    (_, member) => invitationLetter("a@example.com", { workspace: member, event: null, role: "member" }, URL_, NO_MORE),
  ],
  [
    "invitation to an event",
    (_, member) =>
      invitationLetter("a@example.com", { workspace: member, event: member, role: "viewer" }, URL_, NO_MORE),
  ],
  ["entry", (name, event) => entryLetter("a@example.com", { name, event, when: null }, URL_)],
  ["table notes", (name, event) => tableNotesLetter("a@example.com", { name, event }, URL_, NO_MORE)],
]

describe.each(LETTERS)("a letter of %s", (_name, letterWith) => {
  test("makes no link of a stranger's text, and its subject is one short line", () => {
    const letter = letterWith(BAIT, "Launch")
    for (const body of [letter.subject, letter.text, letter.html]) {
      expect(body.replaceAll(URL_, "").replaceAll(NO_MORE, "")).not.toMatch(
        /evil\.example|:\/\/|www\.(?!\u2060)|\u202e/,
      )
    }
    for (const body of [letter.text, letter.html]) expect(body).toContain(URL_)
    const long = letterWith("Ada", `two\r\nlines ${"x".repeat(5000)}`)
    expect(long.subject).not.toMatch(/\p{Cc}/u)
    expect(long.subject.length).toBeLessThan(140)
  })

  test("has a member's text as it was written", () => {
    const letter = letterWith("Ada", TITLE)
    const isNamed = letter.subject.includes("invited") || letter.subject.includes(" at ")
    expect([letter.subject.includes(TITLE), letter.text.includes(TITLE)]).toEqual([isNamed, isNamed])
  })

  test("escapes text from users", () => {
    expect(letterWith(`<b>"A"</b>`, "<b>A</b>").html).not.toContain("<b>")
  })
})

test("a subject holds no text of users beyond the title of an event or the name of a workspace", () => {
  const subjects = LETTERS.map(([, letterWith]) => letterWith("Ada", "Analytical Engines").subject)
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
