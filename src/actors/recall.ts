/**
 * What memory has let go of and the store still knows: chat that commands name, read back before their turns, which cannot
 * wait, so that who wrote a message may take it back however old it is; and answers that were given under their ids.
 */
import { Effect } from "effect"
import type { ChatMessage } from "../model/live-records.ts"
import type { Database } from "../store/database.ts"
import { findLiveCommands } from "../store/live-events.ts"
import { findChatMessages } from "../store/live-records.ts"
import { Batch } from "./batch.ts"
import { type Envelope, type Outcome, Refused, StoreAway } from "./commands.ts"
import { rememberedAnswer } from "./execution.ts"
import type { Floor } from "./floor.ts"
import type { Resident } from "./resident.ts"

const namedIn = ({ command }: Envelope): ReadonlyArray<string> => {
  if (command.type === "chat.delete") return [command.d.id]
  return command.type === "chat.send" && command.d.replyTo !== undefined ? [command.d.replyTo] : []
}

const hold = (floor: Floor, messages: ReadonlyArray<ChatMessage>): void => {
  for (const id of [...floor.all("pastChat").keys()]) floor.write("pastChat", id, undefined)
  for (const message of messages) floor.write("pastChat", message.id, message)
}

export const recallChat = (
  database: Database["Service"],
  { floor, state }: Resident,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<void, StoreAway> => {
  const ids = envelopes.flatMap(namedIn).filter((id) => floor.get("chat", id) === undefined)
  if (ids.length === 0) return Effect.void
  return database
    .run((sql) => findChatMessages(sql, state.event.id, ids))
    .pipe(
      Effect.tap((messages) => Effect.sync(() => hold(floor, messages))),
      Effect.asVoid,
      Effect.mapError(() => new StoreAway()),
    )
}

const readAnswers = (
  database: Database["Service"],
  { answers, state }: Resident,
  envelopes: ReadonlyArray<Envelope>,
): Effect.Effect<void, StoreAway> =>
  database
    .run((sql) => findLiveCommands(sql, state.event.id, envelopes))
    .pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          for (const command of found) answers.remember(command)
        }),
      ),
      Effect.asVoid,
      Effect.mapError(() => new StoreAway()),
    )

/** What the store remembers of one command: it refused the id as taken. */
export const recallAnswer = (
  database: Database["Service"],
  of: Resident,
  envelope: Envelope,
): Effect.Effect<Outcome, StoreAway> =>
  Effect.flatMap(readAnswers(database, of, [envelope]), () => {
    const known = rememberedAnswer(new Batch(of), envelope)
    return known === undefined ? new StoreAway() : Effect.succeed(known)
  })

/**
 * A repeat of an accepted command would be refused as things stand now (too soon after itself, say): it gets its answer.
 * Accepted repeats need no look, since the store takes no id twice; nor do those of events that let go of no id.
 */
export const recallRefused = (
  database: Database["Service"],
  of: Resident,
  envelopes: ReadonlyArray<Envelope>,
  outcomes: ReadonlyArray<Outcome>,
): Effect.Effect<ReadonlyArray<Outcome>> => {
  const isDoubtful = ({ scope, commandId }: Envelope, at: number): boolean =>
    outcomes[at] instanceof Refused && of.answers.find(scope, commandId) === undefined
  const doubtful = of.answers.hasForgotten ? envelopes.filter(isDoubtful) : []
  if (doubtful.length === 0) return Effect.succeed(outcomes)
  return readAnswers(database, of, doubtful).pipe(
    Effect.map(() => {
      const batch = new Batch(of)
      const known = new Map(doubtful.map((envelope) => [envelope, rememberedAnswer(batch, envelope)]))
      return outcomes.map((outcome, at) => known.get(envelopes[at] as Envelope) ?? outcome)
    }),
    Effect.orElseSucceed(() => outcomes),
  )
}
