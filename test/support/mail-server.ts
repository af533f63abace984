/** A real SMTP server in this process that keeps what it is sent, or refuses it as configured. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"
import { eventually } from "./wait.ts"

export interface ReceivedMail {
  readonly to: string
  /** Headers and body as they came over the wire. */
  readonly raw: string
}

export interface MailServer {
  /** For `SMTP_URL`. */
  readonly url: string
  readonly received: ReadonlyArray<ReceivedMail>
  /** SMTP status for the next so many emails. */
  refuse(status: number, times: number): void
  /** The next email to this address that has not been handed out yet. */
  next(to: string): Promise<ReceivedMail>
  close(): Promise<void>
}

export const startMailServer = async (): Promise<MailServer> => {
  const received: ReceivedMail[] = []
  const handedOut = new Set<ReceivedMail>()
  let refusals: { status: number; times: number } = { status: 0, times: 0 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        if (refusals.times > 0) {
          refusals = { ...refusals, times: refusals.times - 1 }
          return done(Object.assign(new Error("not now"), { responseCode: refusals.status }))
        }
        const to = session.envelope.rcptTo[0]?.address ?? ""
        received.push({ to, raw: Buffer.concat(chunks).toString("utf8") })
        return done()
      })
    },
  })
  server.listen(0, "127.0.0.1")
  await once(server.server, "listening")
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    refuse: (status, times) => {
      refusals = { status, times }
    },
    next: async (to) => {
      const waiting = () => received.find((mail) => mail.to === to && !handedOut.has(mail))
      await eventually(() => waiting() !== undefined, `an email to ${to}`)
      const mail = waiting() as ReceivedMail
      handedOut.add(mail)
      return mail
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Undoes quoted-printable (RFC 2045 §6.7), far enough to find a link. */
export const linkIn = (mail: ReceivedMail): URL => {
  // Headers have links of their own.
  const text = mail.raw
    .slice(mail.raw.indexOf("\r\n\r\n"))
    .replaceAll(/=\r?\n/g, "")
    .replaceAll("=3D", "=")
  const found = /https?:\/\/[^\s"<]+#token=\w+/.exec(text) ?? /https?:\/\/[^\s"<]+/.exec(text)
  return new URL(found?.[0] ?? "")
}
