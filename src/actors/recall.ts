/**
 * Chat that commands name and memory has let go of: read back before their turns, which cannot wait, and kept until the
 * next of them. So who wrote a message may take it back, and staff any, however old it is.
 */
import { Effect } from "effect"
import type { ChatMessage } from "../model/live-records.ts"
import type { Database } from "../store/database.ts"
import { findChatMessages } from "../store/live-records.ts"
import { type Envelope, StoreAway } from "./commands.ts"
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
