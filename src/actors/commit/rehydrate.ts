/**
 * Reads back data that memory has evicted and the store still has. Chat messages named by commands are read before their turns, which
 * cannot wait, so that an author may delete a message of any age. Answers to command ids are read back likewise, and so are stream heads
 * before a position is assigned.
 */
import { Effect } from "effect"
import type { ChatMessage } from "../../model/live/live-records.ts"
import type { Database, Queryable } from "../../store/database.ts"
import type { StoredCommand } from "../../store/live/live-commit.ts"
import { findLiveCommands } from "../../store/live/live-events.ts"
import { findHeads } from "../../store/live/live-history.ts"
import { findChatMessages } from "../../store/live/live-records.ts"
import { type Envelope, StoreUnavailable } from "../commands.ts"
import type { RecordStore } from "../state/record-store.ts"
import type { LoadedEvent } from "./loaded-event.ts"

const namedIn = ({ command }: Envelope): ReadonlyArray<string> => {
  if (command.type === "chat.delete") return [command.d.id]
  return command.type === "chat.send" && command.d.replyTo !== undefined ? [command.d.replyTo] : []
}

const hold = (records: RecordStore, messages: ReadonlyArray<ChatMessage>): void => {
  for (const id of [...records.all("pastChat").keys()]) records.write("pastChat", id, undefined)
  for (const message of messages) records.write("pastChat", message.id, message)
}

const read = <A>(
  database: Database["Service"],
  query: (sql: Queryable) => Promise<A>,
): Effect.Effect<A, StoreUnavailable> => Effect.mapError(database.readLive(query), () => new StoreUnavailable())

/** Reads back the chat messages that the commands name. Called before the commands are decided. */
export const recallChat = (
  database: Database["Service"],
  { records, state }: LoadedEvent,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<void, StoreUnavailable> => {
  const ids = envelopes.flatMap(namedIn).filter((id) => records.get("chat", id) === undefined)
  if (ids.length === 0) return Effect.void
  const found = read(database, (sql) => findChatMessages(sql, state.event.id, ids))
  return Effect.map(found, (messages) => hold(records, messages))
}

/** Returns the stored answers of these commands, and adds them to the log. */
export const recallAnswers = (
  database: Database["Service"],
  { answers, state }: LoadedEvent,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<ReadonlyArray<StoredCommand>, StoreUnavailable> =>
  envelopes.length === 0
    ? Effect.succeed([])
    : Effect.map(
        read(database, (sql) => findLiveCommands(sql, state.event.id, envelopes)),
        (found) => {
          for (const command of found) answers.remember(command)
          return found
        },
      )

/** Makes the heads of these streams known, at least until the next call. */
export const recallHeads = (
  database: Database["Service"],
  { heads, state }: LoadedEvent,
  streams: Iterable<string>,
): Effect.Effect<void, StoreUnavailable> => {
  const unknown = heads.unknown(streams)
  if (unknown.length === 0) return Effect.void
  const found = read(database, (sql) => findHeads(sql, state.event.id, unknown))
  return Effect.map(found, (known) => heads.learn(known))
}
