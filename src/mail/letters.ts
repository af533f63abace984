/** What is written in each letter, as plain text and as HTML. Every value is escaped; every link stands in full. */

export interface Letter {
  /** A folded address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The links in it, in order. */
  readonly links: ReadonlyArray<string>
}

interface Draft {
  readonly to: string
  readonly subject: string
  readonly lines: ReadonlyArray<string>
  readonly action: { readonly label: string; readonly url: string }
  /** Why it came and what to do when it was not asked for. */
  readonly why: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? found)

/** A subject is one header line. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

const write = ({ to, subject, lines, action, why }: Draft): Letter => {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("")
  const url = escapeHtml(action.url)
  return {
    to,
    subject: oneLine(subject),
    text: [...lines, `${action.label}:\n${action.url}`, why].join("\n\n"),
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(oneLine(subject))}</title><body>${paragraphs}<p><a href="${url}">${escapeHtml(action.label)}</a></p><p>${url}</p><p>${escapeHtml(why)}</p></body></html>`,
    links: [action.url],
  }
}

export const verificationLetter = (to: string, name: string, url: string): Letter =>
  write({
    to,
    subject: "Confirm your e-mail address",
    lines: [`Hello ${name},`, "please confirm that this address is yours."],
    action: { label: "Confirm the address", url },
    why: "The link works for a day. If you did not sign up, ignore this letter and nothing happens.",
  })

export const resetLetter = (to: string, name: string, url: string): Letter =>
  write({
    to,
    subject: "Choose a new password",
    lines: [`Hello ${name},`, "somebody, probably you, asked for a new password."],
    action: { label: "Choose a new password", url },
    why: "The link works once, for 30 minutes. If it was not you, ignore this letter: your password stays as it is.",
  })

export const invitationLetter = (
  to: string,
  invitation: { readonly workspace: string; readonly event: string | null; readonly role: string },
  url: string,
): Letter =>
  write({
    to,
    subject: `You are invited to ${invitation.event ?? invitation.workspace}`,
    lines: [
      invitation.event === null
        ? `You are invited to join the workspace "${invitation.workspace}" as ${invitation.role}.`
        : `${invitation.workspace} invites you to "${invitation.event}" as ${invitation.role}.`,
    ],
    action: { label: "See the invitation", url },
    why: "The link works for seven days, for whoever holds it: do not pass it on.",
  })

export const entryLetter = (
  to: string,
  entry: { readonly name: string; readonly event: string; readonly when: string | null },
  url: string,
): Letter =>
  write({
    to,
    subject: `Your place at ${entry.event}`,
    lines: [
      `Hello ${entry.name},`,
      entry.when === null
        ? `you are registered for "${entry.event}".`
        : `you are registered for "${entry.event}", which begins at ${entry.when}.`,
    ],
    action: { label: "Enter the event", url },
    why: "The link is yours alone and works until a day after the event.",
  })

export const tableNotesLetter = (
  to: string,
  notes: { readonly name: string | null; readonly event: string; readonly table: string },
  url: string,
): Letter =>
  write({
    to,
    subject: `Notes from ${notes.table} at ${notes.event}`,
    lines: [`Hello ${notes.name ?? "there"},`, `the notes of your table at "${notes.event}" are ready.`],
    action: { label: "Read the notes", url },
    why: "The link is yours alone and works for 90 days.",
  })
