/**
 * Reads back data that memory has evicted and the store still has. Chat messages that commands name are read back before their
 * turns, which cannot wait, so that an author may delete a message of any age. The same holds for answers to command ids, and for
 * stream heads before a position is given.
 */
import { Effect } from "effect"
import { isKeyedScope } from "../../model/live/command-scopes.ts"
import type { ChatMessage } from "../../model/live/live-records.ts"
import type { Database } from "../../store/database.ts"
import { findLiveCommands } from "../../store/live/live-events.ts"
import { findHeads } from "../../store/live/live-history.ts"
import { findChatMessages } from "../../store/live/live-records.ts"
import { type Envelope, type Outcome, StoreUnavailable } from "../commands.ts"
import type { RecordStore } from "../domain/record-store.ts"
import { Batch } from "./batch.ts"
import { rememberedAnswer, TIMER_SCOPE } from "./execution.ts"
import type { LoadedEvent } from "./loaded-event.ts"

const namedIn = ({ command }: Envelope): ReadonlyArray<string> => {
  if (command.type === "chat.delete") return [command.d.id]
  return command.type === "chat.send" && command.d.replyTo !== undefined ? [command.d.replyTo] : []
}

const hold = (records: RecordStore, messages: ReadonlyArray<ChatMessage>): void => {
  for (const id of [...records.all("pastChat").keys()]) records.write("pastChat", id, undefined)
  for (const message of messages) records.write("pastChat", message.id, message)
}

const recallChat = (
  database: Database["Service"],
  { records, state }: LoadedEvent,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<void, StoreUnavailable> => {
  const ids = envelopes.flatMap(namedIn).filter((id) => records.get("chat", id) === undefined)
  if (ids.length === 0) return Effect.void
  return database
    .runLive((sql) => findChatMessages(sql, state.event.id, ids))
    .pipe(
      Effect.tap((messages) => Effect.sync(() => hold(records, messages))),
      Effect.asVoid,
      Effect.mapError(() => new StoreUnavailable()),
    )
}

const readAnswers = (
  database: Database["Service"],
  { answers, state }: LoadedEvent,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<void, StoreUnavailable> =>
  database
    .runLive((sql) => findLiveCommands(sql, state.event.id, envelopes))
    .pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          for (const command of found) answers.remember(command)
        }),
      ),
      Effect.asVoid,
      Effect.mapError(() => new StoreUnavailable()),
    )

/** Reads the stored answer of one command, after the store refused its id as used. */
export const recallAnswer = (
  database: Database["Service"],
  of: LoadedEvent,
  envelope: Envelope,
): Effect.Effect<Outcome, StoreUnavailable> =>
  Effect.flatMap(readAnswers(database, of, [envelope]), () => {
    const known = rememberedAnswer(new Batch(of), envelope)
    return known === undefined ? new StoreUnavailable() : Effect.succeed(known)
  })

/** Before commands are decided: an id that memory has evicted may be a repeat, and no command is decided twice. */
const recallAnswers = (
  database: Database["Service"],
  of: LoadedEvent,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<void, StoreUnavailable> => {
  const now = Date.now()
  const doubtful = envelopes.filter(
    ({ scope, commandId }) =>
      scope !== TIMER_SCOPE &&
      of.answers.find(scope, commandId) === undefined &&
      // A repeat under an `Idempotency-Key` may come a day later; memory holds minutes.
      (isKeyedScope(scope) || of.answers.mayHaveForgotten(scope, commandId, now)),
  )
  return doubtful.length > 0 ? readAnswers(database, of, doubtful) : Effect.void
}

export const recall = (
  database: Database["Service"],
  of: LoadedEvent,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<void, StoreUnavailable> =>
  Effect.andThen(recallAnswers(database, of, envelopes), recallChat(database, of, envelopes))

/** Afterwards the heads of these streams are known, at least until the next read-back. */
export const recallHeads = (
  database: Database["Service"],
  { heads, state }: LoadedEvent,
  streams: Iterable<string>,
): Effect.Effect<void, StoreUnavailable> => {
  const unknown = heads.unknown(streams)
  if (unknown.length === 0) return Effect.void
  return database
    .runLive((sql) => findHeads(sql, state.event.id, unknown))
    .pipe(
      Effect.map((found) => heads.learn(found)),
      Effect.mapError(() => new StoreUnavailable()),
    )
}
