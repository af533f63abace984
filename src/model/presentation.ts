/** How an event presents itself in emails and on its page: its language, its pictures and colour, and its own words. */
import { Schema } from "effect"
import { named } from "./named.ts"
import { MembersText } from "./text/shown-text.ts"

/** Languages of emails and pages. */
export const Language = Schema.Literals(["en", "de"]).annotate(named("Language"))
export type Language = typeof Language.Type

const PICTURE_URL_LIMIT = 2048
/** No address has these characters unescaped, and mail programs differ in how they read them. */
const UNSAFE = /[\s\p{Cc}"'<>\\^`{|}]/u

/** The host goes into a content security policy, where other characters have a meaning. */
const HOST = /^[a-z0-9.:[\]-]+$/

const isPictureUrl = (text: string): boolean => {
  if (!text.startsWith("https://") || UNSAFE.test(text) || !URL.canParse(text)) return false
  const { username, password, host } = new URL(text)
  return username === "" && password === "" && HOST.test(host)
}

/** Address of a picture that browsers and mail programs load from elsewhere: the server itself never does. */
export const PictureUrl = Schema.String.check(
  Schema.isMaxLength(PICTURE_URL_LIMIT),
  Schema.makeFilter((text) => isPictureUrl(text) || "must be an https address without a user"),
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

export const Theme = Schema.Literals(["light", "dark", "system"]).annotate(named("Theme"))
export type Theme = typeof Theme.Type

const NullOrLogoUrl = Schema.NullOr(PictureUrl).annotate({
  description: "Logo on pages and in emails, which show it at most 40 pixels high: an address with https.",
  examples: ["https://cdn.example.com/logo.png"],
})
const NullOrAccent = Schema.NullOr(
  Schema.String.check(Schema.isPattern(/^#[0-9a-fA-F]{6}$/, { message: "must be a colour such as #4a3fd1" })),
).annotate({
  description:
    "Colour of buttons, links and made pictures. None is refused for its contrast: where it is not legible, a lighter or darker shade of it is shown (`shades` of the public event).",
  examples: ["#0b7a4b"],
})
const NullOrTheme = Schema.NullOr(Theme).annotate({
  description: "Scheme of the pages; null or `system`: that of the reader's device.",
})

/** The picture of an event is `coverUrl` beside its branding. */
export const EventBranding = Schema.Struct({
  logoUrl: NullOrLogoUrl,
  accent: NullOrAccent,
  theme: NullOrTheme,
}).annotate(named("EventBranding"))
export type EventBranding = typeof EventBranding.Type

export const WorkspaceBranding = Schema.Struct({
  ...EventBranding.fields,
  coverUrl: Schema.NullOr(PictureUrl).annotate({
    description: "Picture of events that have none: an address with https.",
    examples: ["https://cdn.example.com/cover.jpg"],
  }),
}).annotate(named("WorkspaceBranding"))
export type WorkspaceBranding = typeof WorkspaceBranding.Type

const NO_BRANDING: WorkspaceBranding = { logoUrl: null, accent: null, theme: null, coverUrl: null }

/** The branding that an event shows: each member is the event's, or else the workspace's. */
export const worn = (
  event: { readonly coverUrl: string | null; readonly branding: EventBranding | null },
  workspace: WorkspaceBranding | null,
): WorkspaceBranding => {
  const [own, of] = [event.branding, workspace ?? NO_BRANDING]
  return {
    logoUrl: own?.logoUrl ?? of.logoUrl,
    accent: own?.accent ?? of.accent,
    theme: own?.theme ?? of.theme,
    coverUrl: event.coverUrl ?? of.coverUrl,
  }
}
