/**
 * Text of each email, as plain text and as HTML. Subjects are ours: their only user text is the title of an event or the name of a
 * workspace, on one line (`lines.ts`). Values are escaped, and links are complete.
 */
import type { Timestamp } from "../model/timestamp.ts"
import { zonedMoment } from "../model/zoned-moment.ts"
import { MAX_LENGTH_IN_SUBJECT, membersLine, strangersLine } from "./lines.ts"

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

interface Draft {
  readonly to: string
  readonly subject: string
  readonly lines: ReadonlyArray<string>
  /** Links for the reader, the one that most readers want first. */
  readonly actions: ReadonlyArray<Link>
  /** Reason for the email, and advice to a reader who did not ask for it. */
  readonly why: string
  readonly unsubscribe?: Link
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? found)

export const titled = (title: string): string => membersLine(title, "an event", MAX_LENGTH_IN_SUBJECT)
export const eventNamed = (title: string): string => `"${membersLine(title, "an event")}"`
export const hello = (name: string | null): string => `Hello ${strangersLine(name ?? "", "there")},`

export const writeEmail = ({ to, subject, lines, actions, why, unsubscribe }: Draft): EmailMessage => {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("")
  const actionsHtml = actions
    .map(({ label, url }) => [escapeHtml(label), escapeHtml(url)])
    .map(([label, url]) => `<p><a href="${url}">${label}</a></p><p>${url}</p>`)
    .join("")
  const noMore = unsubscribe === undefined ? [] : [`${unsubscribe.label}:\n${unsubscribe.url}`]
  const noMoreHtml =
    unsubscribe === undefined
      ? ""
      : `<p><a href="${escapeHtml(unsubscribe.url)}">${escapeHtml(unsubscribe.label)}</a></p>`
  return {
    to,
    subject,
    text: [...lines, ...actions.map(({ label, url }) => `${label}:\n${url}`), why, ...noMore].join("\n\n"),
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(subject)}</title><body>${paragraphs}${actionsHtml}<p>${escapeHtml(why)}</p>${noMoreHtml}</body></html>`,
    links: actions.map(({ url }) => url),
    ...(unsubscribe === undefined ? {} : { unsubscribeUrl: unsubscribe.url }),
  }
}

export const verificationEmail = (to: string, name: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "Confirm your e-mail address",
    lines: [hello(name), "please confirm that this address is yours."],
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
    lines: [hello(name), "somebody, probably you, asked for a new password."],
    actions: [{ label: "Choose a new password", url }],
    why: "The link works once, for 30 minutes. If it was not you, ignore this email: your password stays as it is.",
  })

/** `what` is a sentence of ours. */
export const signInChangedEmail = (to: string, name: string, what: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "The way you sign in has changed",
    lines: [hello(name), what],
    actions: [{ label: "See your account", url }],
    why: "If it was not you, choose a new password, end the other sign-ins and look at your second factors, all under your account.",
  })

export const domainLostEmail = (to: string, name: string, domain: string, url: string): EmailMessage =>
  writeEmail({
    to,
    subject: "A domain no longer signs people in to your workspace",
    lines: [
      hello(name),
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
      hello(name),
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
      hello(webhook.name),
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

export const invitationEmail = (
  to: string,
  invitation: { readonly workspace: string; readonly event: string | null; readonly role: string },
  url: string,
  unsubscribeUrl: string,
): EmailMessage =>
  writeEmail({
    to,
    subject: `You are invited to ${membersLine(invitation.event ?? invitation.workspace, "a workspace", MAX_LENGTH_IN_SUBJECT)}`,
    lines: [
      invitation.event === null
        ? `You are invited to join the workspace "${membersLine(invitation.workspace, "without a name")}" as ${invitation.role}.`
        : `${membersLine(invitation.workspace, "A workspace")} invites you to ${eventNamed(invitation.event)} as ${invitation.role}.`,
    ],
    actions: [{ label: "See the invitation", url }],
    why: "The link works for seven days, for anyone who holds it: do not pass it on. Somebody in that workspace gave us your address; if you do not know them, ignore this email.",
    unsubscribe: { label: "No more invitations from this workspace", url: unsubscribeUrl },
  })

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

export const leaving = ({ leave }: PersonalLinks) => ({ label: "I cannot come", url: leave })

export const entryEmail = (
  to: string,
  entry: {
    readonly name: string
    readonly event: string
    readonly when: Timestamp | null
    readonly timeZone: string | null
    /** Whether the event has a registration form. */
    readonly asks: boolean
    readonly calendar?: EmailMessage["calendar"]
  },
  links: PersonalLinks,
): EmailMessage => ({
  ...writeEmail({
    to,
    subject: `Your place at ${titled(entry.event)}`,
    lines: [
      hello(entry.name),
      entry.when === null
        ? `you are registered for ${eventNamed(entry.event)}.`
        : `you are registered for ${eventNamed(entry.event)}, which begins on ${zonedMoment(entry.when, entry.timeZone)}.`,
    ],
    actions: [
      { label: "Enter the event", url: links.enter },
      ...(entry.asks ? [{ label: "See and change your answers", url: links.answers }] : []),
      leaving(links),
    ],
    why: "The links are yours alone and work until a day after the event. If you did not register, ignore this email.",
  }),
  ...(entry.calendar === undefined ? {} : { calendar: entry.calendar }),
})

export const reminderEmail = (
  to: string,
  reminder: {
    readonly isSoon: boolean
    readonly name: string
    readonly event: string
    readonly when: Timestamp
    readonly timeZone: string | null
  },
  links: PersonalLinks,
  unsubscribeUrl: string,
): EmailMessage => ({
  ...writeEmail({
    to,
    subject: `${reminder.isSoon ? "Starting soon" : "Reminder"}: ${titled(reminder.event)}`,
    lines: [
      hello(reminder.name),
      `${eventNamed(reminder.event)} begins ${reminder.isSoon ? "soon: " : ""}on ${zonedMoment(reminder.when, reminder.timeZone)}.`,
    ],
    actions: [{ label: "Enter the event", url: links.enter }, leaving(links)],
    why: "You get this email because you registered for the event. The links are yours alone and work until a day after the event.",
    unsubscribe: { label: "No more reminders from this workspace", url: unsubscribeUrl },
  }),
  notAfter: reminder.when,
})

/** `survey` is null for an event without one. */
export const thanksEmail = (
  thanks: { readonly name: string; readonly email: string; readonly event: string; readonly wasThere: boolean },
  links: { readonly recap: string; readonly survey: string | null; readonly unsubscribe: string },
): EmailMessage =>
  writeEmail({
    to: thanks.email,
    subject: `${thanks.wasThere ? "Thank you for coming to" : "You missed"} ${titled(thanks.event)}`,
    lines: [
      hello(thanks.name),
      thanks.wasThere
        ? `thank you for coming to ${eventNamed(thanks.event)}.`
        : `you were registered for ${eventNamed(thanks.event)}, which is over. What is kept of it is on its page.`,
      ...(links.survey === null ? [] : ["The organisers have a few questions for you."]),
    ],
    actions: [
      ...(links.survey === null ? [] : [{ label: "Answer the survey", url: links.survey }]),
      { label: "See the event's page", url: links.recap },
    ],
    why: `You get this email because you ${thanks.wasThere ? "were at" : "registered for"} the event.`,
    unsubscribe: { label: "No more emails after events of this workspace", url: links.unsubscribe },
  })

export const tableNotesEmail = (
  to: string,
  notes: { readonly name: string | null; readonly event: string },
  url: string,
  unsubscribeUrl: string,
): EmailMessage =>
  writeEmail({
    to,
    subject: `Notes of your table at ${titled(notes.event)}`,
    lines: [hello(notes.name), `the notes of your table at ${eventNamed(notes.event)} are ready.`],
    actions: [{ label: "Read the notes", url }],
    why: "The link is yours alone and works for 90 days.",
    unsubscribe: { label: "No more notes of tables from this workspace", url: unsubscribeUrl },
  })
