/** Storing the notes of a table. A reader with a valid link keeps it and gets no further email. */
import { Clock, Effect } from "effect"
import { HelpDesk } from "../../../help/help-desk.ts"
import { hashSecret, newSecret } from "../../../identity/secrets.ts"
import { tableNotesEmail } from "../../../mail/emails.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { NotFound } from "../../../model/errors.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { findEventFace } from "../../../store/event-face.ts"
import { insertNoteToken, listNoteRecipients, upsertTableSummary } from "../../../store/events/table-notes.ts"
import { findRoomTalk, type RoomTalk } from "../../../store/media/captions.ts"
import { query } from "../../../store/query.ts"
import type { TableDraft, TableSummaries } from "../../contract/events/table-summary.ts"
import type { Handlers } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { countEmailsToOthers, requireProvedSender, unaskedEmails } from "../workspaces/mail-to-others.ts"
import { type Reader, readersOf, withinLimits } from "./table-note-readers.ts"

const TOKEN_MS = 90 * 86_400_000
/** Maximum number of characters of a table's talk that a model gets. */
const MOST_SUMMARISED = 50_000

interface MailResult {
  readonly userId: string
  readonly mailed: boolean
  readonly url?: string
}

export const tableSummaries = {
  putTableSummary: {
    access: "event",
    handle: ({ params: { roomId }, payload: { recipients, ...content }, scope }) =>
      Effect.gen(function* () {
        const { event, workspaceId } = scope
        const { appUrl, emailDevMode, mailPerWorkspacePerDay } = yield* HttpSettings
        const post = yield* unaskedEmails
        const mailer = yield* Mailer
        const database = yield* Database
        const now = yield* Clock.currentTimeMillis
        const generatedAt = toTimestamp(now)
        const expiresAt = toTimestamp(now + TOKEN_MS)
        const table = { workspaceId, eventId: event.id, roomId }

        const found = yield* database.run((sql) => readersOf(sql, table, recipients, generatedAt))
        // A workspace may store any address for its users, including one who was present.
        if ([...found.values()].some(({ email, isRegistered }) => email !== null && !isRegistered)) {
          yield* requireProvedSender(scope)
        }
        const readers = yield* withinLimits(event.id, found)

        const mailOne = async (sql: Queryable, { userId, name, email }: Reader): Promise<MailResult> => {
          const token = newSecret()
          const tokenHash = hashSecret(token)
          await insertNoteToken(sql, { tokenHash, eventId: event.id, roomId, userId, name, expiresAt })
          const url = `${appUrl}/events/${event.id}/table-summary#token=${token}`
          const face = await findEventFace(sql, event.id)
          if (face === undefined) return { userId, mailed: false, url }
          const notes = { ...face, name, event: event.title }
          const mailed =
            email !== null &&
            (await post(sql, { workspaceId, kind: "tableNotes", email }, (unsubscribeUrl) =>
              tableNotesEmail(email, notes, url, unsubscribeUrl),
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
              return countEmailsToOthers(sql, workspaceId, chosen.length, mailPerWorkspacePerDay)
            },
          ),
        )
        mailer.collect()
        return { eventId: event.id, roomId, generatedAt, recipients: results }
      }),
  },
  draftTableSummary: {
    access: "event",
    handle: ({ params: { roomId }, scope: { event } }) =>
      Effect.gen(function* () {
        const talk = yield* (yield* Database).run((sql) => findRoomTalk(sql, event.id, roomId))
        if (talk === undefined) return yield* NotFound.of("captions of the table")
        const tldr = yield* (yield* HelpDesk).summary(talk.lines.join("\n").slice(0, MOST_SUMMARISED))
        return draftOf(talk, tldr ?? "")
      }),
  },
} satisfies Handlers<typeof TableSummaries>

const draftOf = ({ people, words, seconds, questions }: RoomTalk, tldr: string): typeof TableDraft.Type => ({
  summary: { tldr, themes: [], ideas: [], questions, perQuestion: [] },
  stats: { totalWords: words, promptsCovered: 0, promptsTotal: 0, lifetimeSeconds: seconds, headcount: people.length },
  people: people.map(({ speaker, ...said }) => ({ userId: speaker, name: speaker, badges: [], ...said })),
})
