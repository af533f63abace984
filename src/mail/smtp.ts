/** Mail over SMTP (nodemailer): one pooled connection, bounded waits, and temporary failures distinguished from permanent ones. */
import { Redacted } from "effect"
import { createTransport } from "nodemailer"
import { TRIAL_MS } from "../model/limits/answer-deadlines.ts"
import type { EmailMessage } from "./emails.ts"
import { MailNotSent } from "./mail-not-sent.ts"

export interface Smtp {
  /** Rejects with `MailNotSent`. */
  readonly send: (letter: EmailMessage) => Promise<void>
  readonly close: () => void
}

const TIMEOUT_MS = 15_000
const LONGEST_REASON = 500
const PERMANENT_FROM = 500

/** Headers for the unsubscribe button of mail programs; for https they submit it themselves by a POST (RFC 2369 §3.2, RFC 8058 §3.1). */
const unsubscribing = (url: string | undefined): Readonly<Record<string, string>> => {
  if (url === undefined) return {}
  const button = { "List-Unsubscribe": `<${url}>` }
  return url.startsWith("https:") ? { ...button, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : button
}

const transportOf = (url: Redacted.Redacted<string>) =>
  createTransport({
    url: Redacted.value(url),
    pool: true,
    maxConnections: 1,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  })

const sentenceOf = (url: Redacted.Redacted<string>, verb: string, cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  const { host } = new URL(Redacted.value(url))
  return code === "EAUTH"
    ? `The mail server ${host} refuses the user or the password of SMTP_URL.`
    : `The mail server ${host} ${verb} (${message.replaceAll(/\s+/g, " ").slice(0, LONGEST_REASON)}).`
}

/** Waits for the greeting and logs in. Resolves to the server's host; rejects with a sentence. */
export const tryMailServer = async (url: Redacted.Redacted<string>): Promise<string> => {
  const transport = transportOf(url)
  try {
    await transport.verify()
    return new URL(Redacted.value(url)).host
  } catch (cause) {
    throw new Error(sentenceOf(url, "cannot be used", cause))
  } finally {
    transport.close()
  }
}

/** The calendar file as mail programs take it: as an alternative to the text, and as a file. */
const inviting = (calendar: EmailMessage["calendar"]) =>
  calendar === undefined ? {} : { icalEvent: { ...calendar, filename: "event.ics" } }

/** Sends one email on a separate connection. Resolves to null or to a sentence why it was refused. */
export const trySending = async (
  url: Redacted.Redacted<string>,
  from: string,
  { to, subject, text, html }: EmailMessage,
  withinMs = TRIAL_MS,
): Promise<string | null> => {
  const transport = transportOf(url)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${withinMs / 1000} seconds`)), withinMs)
  })
  try {
    await Promise.race([transport.sendMail({ from, to: { name: "", address: to }, subject, text, html }), late])
    return null
  } catch (cause) {
    return sentenceOf(url, "did not take the email", cause)
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

/** `url` is `smtp://user:password@host:port` or `smtps://…`; `from` is the sender, with or without a name. */
export const openSmtp = (url: Redacted.Redacted<string>, from: string): Smtp => {
  const transport = transportOf(url)
  return {
    send: async ({ to, subject, text, html, unsubscribeUrl, calendar }) => {
      try {
        const headers = unsubscribing(unsubscribeUrl)
        const message = { from, to: { name: "", address: to }, subject, text, html, headers }
        await transport.sendMail({ ...message, ...inviting(calendar) })
      } catch (cause) {
        // The server's text is left out, because it repeats the address and sometimes the email.
        const { responseCode, code } = cause as { readonly responseCode?: number; readonly code?: string }
        const isPermanent = responseCode !== undefined && responseCode >= PERMANENT_FROM && code !== "EAUTH"
        throw new MailNotSent(!isPermanent, `${code ?? "failed"} ${responseCode ?? new URL(Redacted.value(url)).host}`)
      }
    },
    close: () => transport.close(),
  }
}
