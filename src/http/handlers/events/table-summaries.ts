/** Storing the notes of a table. A reader with a link that still opens them keeps it and is not mailed again. */
import { Clock, Effect } from "effect"
import { hashSecret, newSecret } from "../../../identity/secrets.ts"
import { tableNotesLetter } from "../../../mail/letters.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { insertNoteToken, listNoteRecipients, upsertTableSummary } from "../../../store/events/table-notes.ts"
import { query } from "../../../store/query.ts"
import type { TableSummaries } from "../../contract/events/table-summary.ts"
import type { Handlers } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { countLettersToOthers, requireProvedSender, unaskedLetters } from "../workspaces/letters-to-others.ts"
import { type Reader, readersOf, withinLimits } from "./table-note-readers.ts"

const TOKEN_MS = 90 * 86_400_000

interface MailResult {
  readonly userId: string
  readonly mailed: boolean
  readonly url?: string
}

export const tableSummaries: Handlers<typeof TableSummaries> = {
  putTableSummary: {
    access: "event",
    handle: ({ params: { roomId }, payload: { recipients, ...content }, scope }) =>
      Effect.gen(function* () {
        const { event, workspaceId } = scope
        const { appUrl, emailDevMode, mailPerWorkspacePerDay } = yield* HttpSettings
        const post = yield* unaskedLetters
        const mailer = yield* Mailer
        const database = yield* Database
        const now = yield* Clock.currentTimeMillis
        const generatedAt = toTimestamp(now)
        const expiresAt = toTimestamp(now + TOKEN_MS)
        const table = { workspaceId, eventId: event.id, roomId }

        const found = yield* database.run((sql) => readersOf(sql, table, recipients, generatedAt))
        // A workspace may store any address for a user of its own, also for one who was present.
        if ([...found.values()].some(({ email, isRegistered }) => email !== null && !isRegistered)) {
          yield* requireProvedSender(scope)
        }
        const readers = yield* withinLimits(event.id, found)

        const mailOne = async (sql: Queryable, { userId, name, email }: Reader): Promise<MailResult> => {
          const token = newSecret()
          const tokenHash = hashSecret(token)
          await insertNoteToken(sql, { tokenHash, eventId: event.id, roomId, userId, name, expiresAt })
          const url = `${appUrl}/events/${event.id}/table-summary?t=${token}`
          const notes = { name, event: event.title }
          const mailed =
            email !== null &&
            (await post(sql, { workspaceId, kind: "tableNotes", email }, (unsubscribeUrl) =>
              tableNotesLetter(email, notes, url, unsubscribeUrl),
            )) === "posted"
          return { userId, mailed, ...(mailed && !emailDevMode ? {} : { url }) }
        }

        const mailAll = async (sql: Queryable): Promise<ReadonlyArray<MailResult>> => {
          await upsertTableSummary(sql, { eventId: event.id, roomId, content, generatedAt })
          const served = new Set(await listNoteRecipients(sql, event.id, roomId, generatedAt))
          const answers: MailResult[] = []
          for (const { userId } of recipients) {
            const reader = served.has(userId) ? undefined : readers.get(userId)
            const answer = reader === undefined ? { userId, mailed: false } : await mailOne(sql, reader)
            answers.push(answer)
            served.add(userId)
          }
          return answers
        }

        const results = yield* database.transaction((sql) =>
          Effect.tap(
            query(() => mailAll(sql)),
            (answers) => {
              const chosen = answers.filter(({ userId, mailed }) => mailed && readers.get(userId)?.isChosen === true)
              return countLettersToOthers(sql, workspaceId, chosen.length, mailPerWorkspacePerDay)
            },
          ),
        )
        mailer.collect()
        return { eventId: event.id, roomId, generatedAt, recipients: results }
      }),
  },
}
