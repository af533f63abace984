/**
 * Text of each email, as plain text and as HTML. Subjects are ours: their only user text is the title of an event or the name of a
 * workspace, on one line (`lines.ts`). Values are escaped, and links are complete.
 */
import type { EventRole, WorkspaceRole } from "../model/roles.ts"
import { shadesOf } from "../model/shades.ts"
import { escapeHtml } from "../model/text/escape-html.ts"
import { markdownHtml } from "../model/text/markdown.ts"
import type { Timestamp } from "../model/timestamp.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import type { EventFace } from "../store/event-face.ts"
import { MAX_LENGTH_IN_SUBJECT, membersLine, strangersLine } from "./lines.ts"
import type { Words } from "./words/en.ts"
import { languageOf, wordsOf } from "./words/words.ts"

export interface EmailMessage {
  /** Folded address of the recipient. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Links in the body. */
  readonly links: ReadonlyArray<string>
  /** Calendar file of the email's event. */
  readonly calendar?: { readonly method: "REQUEST" | "CANCEL"; readonly content: string }
  /** Address for refusing emails like this one; set for unsolicited emails. */
  readonly unsubscribeUrl?: string
  /** Time after which the email is useless, and is no longer sent. */
  readonly notAfter?: Timestamp
}

interface Link {
  readonly label: string
  readonly url: string
}

const FACELESS: EventFace = { language: null, coverUrl: null, logoUrl: null, accent: null, workspace: "" }

interface Draft {
  readonly to: string
  readonly face?: EventFace
  readonly subject: string
  readonly lines: ReadonlyArray<string>
  /** Texts of members in Markdown, which follow the lines. */
  readonly markdown?: ReadonlyArray<string>
  /** Links for the reader, the one that most readers want first. */
  readonly actions: ReadonlyArray<Link>
  /** Reason for the email, and advice to a reader who did not ask for it. */
  readonly why: string
  readonly unsubscribe?: Link
}

export const titled = (title: string, words: Words): string => membersLine(title, words.anEvent, MAX_LENGTH_IN_SUBJECT)
export const eventNamed = (title: string, words: Words): string => words.quoted(membersLine(title, words.anEvent))
export const hello = (name: string | null, words: Words): string => {
  const line = strangersLine(name ?? "", "")
  return words.hello(line === "" ? null : line)
}

/**
 * Looks are attributes, because mail programs and the frame of a preview take no styles. Whatever has a ground has a colour of its text too,
 * so that it stays legible where a mail program darkens the rest.
 */
const cell = (ground: string, color: string, content: string): string =>
  `<table role="presentation" border="0" cellpadding="10" cellspacing="0"><tr><td bgcolor="${ground}"><font color="${color}">${content}</font></td></tr></table>`

/** The logo stands on white, for which most are drawn; its words are shown where pictures are not. */
const logoHtml = ({ logoUrl, workspace }: EventFace): string =>
  logoUrl === null
    ? ""
    : cell(
        "#ffffff",
        "#15161d",
        `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(membersLine(workspace, ""))}" height="40">`,
      )

const coverHtml = ({ coverUrl }: EventFace): string =>
  coverUrl === null ? "" : `<p><img src="${escapeHtml(coverUrl)}" alt="" width="100%"></p>`

/** The first link of a branded email is a button. */
const actionHtml = ({ label, url }: Link, index: number, accent: string | null): string => {
  const [text, href] = [escapeHtml(label), escapeHtml(url)]
  if (accent === null || index > 0) return `<p><a href="${href}">${text}</a></p><p>${href}</p>`
  const { light } = shadesOf(accent)
  const button = `<a href="${href}"><font color="${light.onAccent}"><b>${text}</b></font></a>`
  return `${cell(light.accent, light.onAccent, button)}<p>${href}</p>`
}

export const writeEmail = ({
  to,
  face = FACELESS,
  subject,
  lines,
  markdown = [],
  actions,
  why,
  unsubscribe,
}: Draft): EmailMessage => {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("")
  const actionsHtml = actions.map((action, index) => actionHtml(action, index, face.accent)).join("")
  const noMore = unsubscribe === undefined ? [] : [`${unsubscribe.label}:\n${unsubscribe.url}`]
  const noMoreHtml =
    unsubscribe === undefined
      ? ""
      : `<p><a href="${escapeHtml(unsubscribe.url)}">${escapeHtml(unsubscribe.label)}</a></p>`
  return {
    to,
    subject,
    text: [...lines, ...markdown, ...actions.map(({ label, url }) => `${label}:\n${url}`), why, ...noMore].join("\n\n"),
    html: `<!doctype html><html lang="${languageOf(face.language)}"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title><body>${logoHtml(face)}${coverHtml(face)}${paragraphs}${markdown.map(markdownHtml).join("")}${actionsHtml}<p>${escapeHtml(why)}</p>${noMoreHtml}</body></html>`,
    links: actions.map(({ url }) => url),
    ...(unsubscribe === undefined ? {} : { unsubscribeUrl: unsubscribe.url }),
  }
}

const ENGLISH = wordsOf("en")

export const verificationEmail = (to: string, name: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "Confirm your e-mail address",
    lines: [hello(name, ENGLISH), "please confirm that this address is yours."],
    actions: [{ label: "Confirm the address", url }],
    why: "The link works for a day. If you did not sign up, ignore this email and nothing happens.",
  })

export const testEmail = (to: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "Test of the mail server",
    lines: ["The operator of this server asked for an email to this address, to see that emails arrive."],
    actions: [{ label: "The server", url }],
    why: "Nothing is to be done.",
  })

export const resetEmail = (to: string, name: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "Choose a new password",
    lines: [hello(name, ENGLISH), "somebody, probably you, asked for a new password."],
    actions: [{ label: "Choose a new password", url }],
    why: "The link works once, for 30 minutes. If it was not you, ignore this email: your password stays as it is.",
  })

/** `what` is a sentence of ours. */
export const signInChangedEmail = (to: string, name: string, what: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "The way you sign in has changed",
    lines: [hello(name, ENGLISH), what],
    actions: [{ label: "See your account", url }],
    why: "If it was not you, choose a new password, end the other sign-ins and look at your second factors, all under your account.",
  })

export const domainLostEmail = (to: string, name: string, domain: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "A domain no longer signs people in to your workspace",
    lines: [
      hello(name, ENGLISH),
      `the record in the DNS of ${domain} that proved it is gone, so people with its addresses no longer sign in by your identity provider. Put the record back and check the connection, if the domain is still yours.`,
    ],
    actions: [{ label: "See the connection", url }],
    why: "You get this email because you own the workspace.",
  })

/** `takenBack` lists the objects taken back, one line each; no mail program makes a link of a stranger's text in them. */
export const takenBackEmail = (to: string, name: string, takenBack: ReadonlyArray<string>, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "What was made of your account before was revoked",
    lines: [
      hello(name, ENGLISH),
      "you have shown for the first time that this address is yours. Somebody may have used the account before you did, so what was there by then was revoked. Make again what you miss; a password set before no longer works.",
      ...takenBack,
    ],
    actions: [{ label: "Sign in", url }],
    why: "You get this email once.",
  })

/** `host` is the endpoint's, whose path and query may hold secrets. */
export const disabledWebhookEmail = (
  to: string,
  webhook: { readonly name: string; readonly workspace: string; readonly host: string; readonly reason: string },
  url: string,
): EmailMessage =>
  writeEmail({
    to,
    subject: "A webhook endpoint was disabled",
    lines: [
      hello(webhook.name, ENGLISH),
      `an endpoint of the workspace "${membersLine(webhook.workspace, "without a name")}" gets no deliveries any more: ${
        webhook.reason === "gone"
          ? "its server answered that it is gone (410)."
          : "for five days its server has answered nothing but failures."
      } It is on the server ${membersLine(webhook.host, "of an unknown name")}.`,
      "What happens from now on is kept for it as skipped. Enable it when its server is ready, and deliver again what it missed.",
    ],
    actions: [{ label: "See the endpoints", url }],
    why: "You get this email because you own the workspace.",
  })

/** An invitation to a workspace. */
export const workspaceInvitationEmail = (
  to: string,
  { workspace, role }: { readonly workspace: string; readonly role: WorkspaceRole },
  url: string,
  unsubscribeUrl: string,
): EmailMessage =>
  writeEmail({
    to,
    subject: ENGLISH.invitation.subject(membersLine(workspace, "a workspace", MAX_LENGTH_IN_SUBJECT)),
    lines: [`You are invited to join the workspace "${membersLine(workspace, "without a name")}" as ${role}.`],
    actions: [{ label: ENGLISH.invitation.see, url }],
    why: ENGLISH.invitation.why,
    unsubscribe: { label: ENGLISH.refuseInvitations, url: unsubscribeUrl },
  })

/** An invitation to an event. */
export const invitationEmail = (
  to: string,
  invitation: EventFace & { readonly event: string; readonly role: EventRole },
  url: string,
  unsubscribeUrl: string,
): EmailMessage => {
  const words = wordsOf(invitation.language)
  const { subject, invites, role, see, why } = words.invitation
  const workspace = membersLine(invitation.workspace, words.aWorkspace)
  return writeEmail({
    to,
    face: invitation,
    subject: subject(titled(invitation.event, words)),
    lines: [invites(workspace, eventNamed(invitation.event, words), role(invitation.role))],
    actions: [{ label: see, url }],
    why,
    unsubscribe: { label: words.refuseInvitations, url: unsubscribeUrl },
  })
}

/** Addresses of a registered person. */
export interface PersonalLinks {
  /** The person enters the event. */
  readonly enter: string
  /** The person gives the place up, or stops waiting for one. */
  readonly leave: string
  /** The person sees the state of their registration, and takes an offered place. */
  readonly place: string
  /** The person sees and changes their answers to the registration form. */
  readonly answers: string
}

export const leaving = ({ leave }: PersonalLinks, words: Words) => ({ label: words.leave, url: leave })

interface Entry extends EventFace {
  readonly name: string
  readonly event: string
  readonly when: Timestamp | null
  readonly timeZone: string | null
  /** Texts of the organisers in Markdown. */
  readonly markdown: ReadonlyArray<string>
  /** Whether the event has a registration form. */
  readonly asks: boolean
  readonly calendar?: EmailMessage["calendar"]
}

export const entryEmail = (to: string, entry: Entry, links: PersonalLinks): EmailMessage => {
  const words = wordsOf(entry.language)
  const { subject, registered, registeredFor, answers, why } = words.entry
  const named = eventNamed(entry.event, words)
  return {
    ...writeEmail({
      to,
      face: entry,
      subject: subject(titled(entry.event, words)),
      lines: [
        hello(entry.name, words),
        entry.when === null
          ? registered(named)
          : registeredFor(named, zonedMoment(entry.when, entry.timeZone, languageOf(entry.language))),
      ],
      markdown: entry.markdown,
      actions: [
        { label: words.enter, url: links.enter },
        ...(entry.asks ? [{ label: answers, url: links.answers }] : []),
        leaving(links, words),
      ],
      why,
    }),
    ...(entry.calendar === undefined ? {} : { calendar: entry.calendar }),
  }
}

interface Reminder extends EventFace {
  readonly isSoon: boolean
  readonly name: string
  readonly event: string
  readonly when: Timestamp
  readonly timeZone: string | null
  /** The organisers' own words. */
  readonly own: string | null
}

export const reminderEmail = (
  to: string,
  reminder: Reminder,
  links: PersonalLinks,
  unsubscribeUrl: string,
): EmailMessage => {
  const words = wordsOf(reminder.language)
  const { subject, begins, why } = words.reminder
  const moment = zonedMoment(reminder.when, reminder.timeZone, languageOf(reminder.language))
  return {
    ...writeEmail({
      to,
      face: reminder,
      subject: subject(titled(reminder.event, words), reminder.isSoon),
      lines: [hello(reminder.name, words), begins(eventNamed(reminder.event, words), moment, reminder.isSoon)],
      markdown: reminder.own === null ? [] : [reminder.own],
      actions: [{ label: words.enter, url: links.enter }, leaving(links, words)],
      why,
      unsubscribe: { label: words.refuseReminders, url: unsubscribeUrl },
    }),
    notAfter: reminder.when,
  }
}

interface Thanked extends EventFace {
  readonly name: string
  readonly email: string
  readonly event: string
  readonly wasThere: boolean
}

/** `survey` is null for an event without one. */
export const thanksEmail = (
  thanked: Thanked,
  links: { readonly recap: string; readonly survey: string | null; readonly unsubscribe: string },
): EmailMessage => {
  const words = wordsOf(thanked.language)
  const { subject, wasThere, missed, questions, answer, page, why } = words.thanks
  const named = eventNamed(thanked.event, words)
  return writeEmail({
    to: thanked.email,
    face: thanked,
    subject: subject(titled(thanked.event, words), thanked.wasThere),
    lines: [
      hello(thanked.name, words),
      thanked.wasThere ? wasThere(named) : missed(named),
      ...(links.survey === null ? [] : [questions]),
    ],
    actions: [
      ...(links.survey === null ? [] : [{ label: answer, url: links.survey }]),
      { label: page, url: links.recap },
    ],
    why: why(thanked.wasThere),
    unsubscribe: { label: words.refuseThanks, url: links.unsubscribe },
  })
}

export const tableNotesEmail = (
  to: string,
  notes: EventFace & { readonly name: string | null; readonly event: string },
  url: string,
  unsubscribeUrl: string,
): EmailMessage => {
  const words = wordsOf(notes.language)
  const { subject, ready, read, why } = words.notes
  return writeEmail({
    to,
    face: notes,
    subject: subject(titled(notes.event, words)),
    lines: [hello(notes.name, words), ready(eventNamed(notes.event, words))],
    actions: [{ label: read, url }],
    why,
    unsubscribe: { label: words.refuseNotes, url: unsubscribeUrl },
  })
}
