/** How an event presents itself in emails and on its page: its language, its picture, and its own words. */
import { Schema } from "effect"
import { named } from "./named.ts"
import { MembersText } from "./text/shown-text.ts"

/** Languages of emails and pages. */
export const Language = Schema.Literals(["en", "de"]).annotate(named("Language"))
export type Language = typeof Language.Type

const COVER_URL_LIMIT = 2048
/** No address has these characters unescaped, and mail programs differ in how they read them. */
const UNSAFE = /[\s\p{Cc}"'<>\\^`{|}]/u

const isCoverUrl = (text: string): boolean => {
  if (!text.startsWith("https://") || UNSAFE.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === "" && password === ""
}

export const CoverUrl = Schema.String.check(
  Schema.isMaxLength(COVER_URL_LIMIT),
  Schema.makeFilter((text) => isCoverUrl(text) || "must be an https address without a user"),
)

const OWN_WORDS_LIMIT = 4000
const OwnWords = Schema.NullOr(MembersText(1, OWN_WORDS_LIMIT))

/** Own words of the organisers in emails about the event. */
export const EmailTexts = Schema.Struct({ confirmation: OwnWords, reminder: OwnWords }).annotate(named("EmailTexts"))

/** Emails about an event that can be seen before they are sent. */
export const PreviewedEmail = Schema.Literals([
  "confirmation",
  "reminder",
  "thanks",
  "pending",
  "waiting",
  "offered",
  "declined",
  "expired",
  "cancelled",
]).annotate(named("PreviewedEmail"))
export type PreviewedEmail = typeof PreviewedEmail.Type
