/** Storing the notes of a table. Who has a link that still opens them keeps it and is not mailed again. */
import { Effect } from "effect"
import { hashSecret, newSecret } from "../../identity/secrets.ts"
import { tableNotesLetter } from "../../mail/letters.ts"
import { Mailer } from "../../mail/mailer.ts"
import { foldEmail, isEmail } from "../../model/email.ts"
import { parseId } from "../../model/ids.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { insertNoteToken, listNoteRecipients, upsertTableSummary } from "../../store/table-notes.ts"
import { findUser } from "../../store/users.ts"
import type { Handlers } from "../call.ts"
import type { TableSummaries } from "../contract/table-summary.ts"
import { HttpSettings } from "../settings.ts"

const TOKEN_MS = 90 * 86_400_000

interface Recipient {
  readonly userId: string
  readonly name?: string | null
  readonly email?: string | null
}

/** Name and address of a recipient: as given, else as the workspace knows its user. */
const addressOf = async (sql: Queryable, workspaceId: string, { userId, name, email }: Recipient) => {
  const id = parseId(userId)
  const found = id === undefined ? undefined : await findUser(sql, id)
  const user = found?.workspaceId === workspaceId ? found : undefined
  const address = email ?? user?.email ?? ""
  // A user's may have been stored when less was checked.
  return { name: name ?? user?.name ?? null, email: isEmail(address) ? foldEmail(address) : null }
}

export const tableSummaries: Handlers<typeof TableSummaries> = {
  putTableSummary: {
    access: "event",
    handle: ({ params: { roomId }, payload: { recipients, ...content }, scope: { event, workspaceId } }) =>
      Effect.gen(function* () {
        const { appUrl, emailDevMode, sendsMail } = yield* HttpSettings
        const mailer = yield* Mailer
        const now = Date.now()
        const generatedAt = toTimestamp(now)
        const expiresAt = toTimestamp(now + TOKEN_MS)

        const tell = async (sql: Queryable, recipient: Recipient) => {
          const { name, email } = await addressOf(sql, workspaceId, recipient)
          const token = newSecret()
          const { userId } = recipient
          await insertNoteToken(sql, {
            tokenHash: hashSecret(token),
            eventId: event.id,
            roomId,
            userId,
            name,
            expiresAt,
          })
          const url = `${appUrl}/events/${event.id}/table-summary?t=${token}`
          const notes = { name, event: event.title }
          if (email !== null) await mailer.post(sql, tableNotesLetter(email, notes, url))
          const mailed = email !== null && (sendsMail || emailDevMode)
          return { userId, mailed, ...(mailed && !emailDevMode ? {} : { url }) }
        }

        const told = yield* (yield* Database).transaction(async (sql) => {
          await upsertTableSummary(sql, { eventId: event.id, roomId, content, generatedAt })
          const served = new Set(await listNoteRecipients(sql, event.id, roomId, generatedAt))
          const answers: Array<Awaited<ReturnType<typeof tell>>> = []
          for (const recipient of recipients) {
            const isServed = served.has(recipient.userId)
            answers.push(isServed ? { userId: recipient.userId, mailed: false } : await tell(sql, recipient))
            served.add(recipient.userId)
          }
          return answers
        })
        mailer.collect()
        return { eventId: event.id, roomId, generatedAt, recipients: told }
      }),
  },
}
