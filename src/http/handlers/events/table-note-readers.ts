/**
 * The readers of a table's notes, and their addresses. A person who registered, or who was present and has an address in the workspace,
 * expects the email; any other address was chosen by the workspace.
 */
import { Effect } from "effect"
import { parseId } from "../../../model/ids.ts"
import { foldEmail, isEmail } from "../../../model/text/email.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { Queryable } from "../../../store/database.ts"
import { listRegistered } from "../../../store/events/registrations.ts"
import { listNoteRecipients, listThere } from "../../../store/events/table-notes.ts"
import { findUser } from "../../../store/workspaces/users.ts"
import { RateLimits } from "../../limits/rate-limits.ts"

interface Recipient {
  readonly userId: string
  readonly name?: string | null
  readonly email?: string | null
}

export interface Reader {
  readonly userId: string
  readonly name: string | null
  /** Null when the reader gets no email. */
  readonly email: string | null
  /** Whether the reader registered for the event with this address. */
  readonly isRegistered: boolean
  /** Whether the workspace chose this address. */
  readonly isChosen: boolean
}

interface Table {
  readonly workspaceId: string
  readonly eventId: string
  readonly roomId: string
}

/** A user's address may have been stored under older, weaker checks. */
const addressIn = (text: string | null | undefined): string | null =>
  text !== null && text !== undefined && isEmail(text) ? foldEmail(text) : null

/** Name and address of a recipient: as given, else those of the workspace's user. */
const addressed = async (sql: Queryable, workspaceId: string, { userId, name, email }: Recipient) => {
  const id = parseId(userId)
  const found = id === undefined ? undefined : await findUser(sql, id)
  const user = found?.workspaceId === workspaceId ? found : undefined
  const known = addressIn(user?.email)
  const address = addressIn(email) ?? known
  return { userId, name: name ?? user?.name ?? null, email: address, isKnown: address === known }
}

/** Recipients without a valid link to the notes, by id. */
export const readersOf = async (
  sql: Queryable,
  { workspaceId, eventId, roomId }: Table,
  recipients: ReadonlyArray<Recipient>,
  now: Timestamp,
): Promise<ReadonlyMap<string, Reader>> => {
  const served = await listNoteRecipients(sql, eventId, roomId, now)
  const found = new Map<string, Awaited<ReturnType<typeof addressed>>>()
  for (const recipient of recipients) {
    const { userId } = recipient
    if (!served.has(userId) && !found.has(userId)) found.set(userId, await addressed(sql, workspaceId, recipient))
  }
  const all = [...found.values()]
  const there = await listThere(sql, eventId, [...found.keys()])
  const registered = await listRegistered(
    sql,
    eventId,
    all.flatMap(({ email }) => email ?? []),
  )
  const isExpected = ({ userId, email, isKnown }: (typeof all)[number]) =>
    email === null || registered.has(email) || (isKnown && there.has(userId))
  return new Map(
    all.map((reader) => {
      const { userId, name, email } = reader
      const isRegistered = email !== null && registered.has(email)
      return [userId, { userId, name, email, isRegistered, isChosen: !isExpected(reader) }]
    }),
  )
}

/** Limits emails by address, and by participant across addresses; a reader over the limit gets none. */
export const withinLimits = (eventId: string, readers: ReadonlyMap<string, Reader>) =>
  Effect.gen(function* () {
    const limits = yield* RateLimits
    const limited = (reader: Reader) => {
      const { userId, email } = reader
      if (email === null) return Effect.succeed(reader)
      const keys = [email, `${eventId} ${userId}`]
      return Effect.forEach(keys, (key) => limits.mail("tableNotes", key), { discard: true }).pipe(
        Effect.as(reader),
        Effect.catchTag("RateLimited", () => Effect.succeed({ ...reader, email: null, isChosen: false })),
      )
    }
    const all = yield* Effect.forEach([...readers.values()], limited)
    return new Map(all.map((reader) => [reader.userId, reader]))
  })
