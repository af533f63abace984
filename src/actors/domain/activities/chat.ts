/**
 * Chat with everyone, within a room, and among the people on stage. Every message is stored permanently. Memory holds the newest messages
 * of each target; an older message is read back when a command names it. Slow mode is in memory alone: a restart resets it.
 */
import {
  CHAT_REMEMBERED,
  type ChatMessage,
  type ChatPlace,
  chatPlaceOf,
  ONLY,
} from "../../../model/live/live-records.ts"
import type { ChatTarget } from "../../../model/live/live-values.ts"
import { narrowRole } from "../../../model/modality.ts"
import { canChat, whyNot } from "../../../protocol/permissions.ts"
import type { ActingRole, Permission } from "../../../protocol/rule.ts"
import { type Caller, Refused } from "../../commands.ts"
import { phaseTraits } from "../../state/state.ts"
import { actingRole, isOfStaff } from "../acting-role.ts"
import type { ReadContext, Turn } from "../turn.ts"
import { type Activity, type CommandHandler, noSuch, refuse } from "./activity.ts"
import { slowMsOf, whyLocked } from "./host-absence.ts"
import { isMuted, MUTED } from "./mutes.ts"
import { roomOf } from "./rooms/rooms.ts"

/** Participants inside who act as speakers, by their stored role or by one that a host gave them. */
const speakers = (turn: Turn): ReadonlyArray<string> => {
  const candidates = new Set(turn.people.storedAs("speaker"))
  for (const [participantId, { role }] of turn.all("role")) if (role === "speaker") candidates.add(participantId)
  return [...candidates].filter((participantId) => {
    const person = turn.people.find(participantId)
    return person !== undefined && actingRole(turn.records, person) === "speaker"
  })
}

/**
 * Publishes to a chat target. Speakers take part in the staff chat but are not subscribed to the staff stream: they receive it on their own
 * streams.
 */
const publishAt = (turn: Turn, place: ChatPlace, publish: (stream: ChatPlace | `me:${string}`) => void): void => {
  publish(place)
  if (place !== "staff") return
  if (canChat("speaker", phaseTraits(turn.state), "staff") !== "allowed") return
  for (const participantId of speakers(turn)) publish(`me:${participantId}`)
}

const find = (turn: Turn, id: string): ChatMessage | undefined => turn.get("chat", id) ?? turn.get("pastChat", id)

const placeBarred = (permission: Exclude<Permission, "allowed">, to: ChatTarget): string => {
  if (permission === "feature_disabled") return whyNot(permission, "chat.send")
  const why = permission === "forbidden" ? "Your role does not allow" : "The active phase has no"
  return `${why} chat to ${to} now: me.chatTo has the places that you may write to.`
}

/** The reason why the caller may not write there now. */
const barred = (turn: Turn, role: ActingRole, to: ChatTarget): Refused | undefined => {
  const permission = canChat(role, phaseTraits(turn.state), to)
  if (permission !== "allowed") return refuse(permission, placeBarred(permission, to))
  if (isMuted(turn)) return MUTED
  const locked = whyLocked(turn)
  if (locked !== undefined) return locked
  return to === "room" && roomOf(turn.records, turn.by?.participantId) === null
    ? refuse("conflict", "You are in no room now.")
    : undefined
}

/** Slow mode does not apply to staff. */
const tooSoon = (turn: Turn, role: ActingRole, { participantId }: Caller): Refused | undefined => {
  if (isOfStaff(role)) return undefined
  const slowMs = slowMsOf(turn, turn.settings.chatSlowMs)
  const waitMs = (turn.get("lastChat", participantId) ?? 0) + slowMs - turn.now
  if (slowMs > 0 && waitMs > 0) {
    return new Refused({ code: "rate_limited", detail: "The chat is in slow mode.", retryAfterMs: waitMs })
  }
  turn.put("lastChat", participantId, turn.now)
  return undefined
}

const remember = (turn: Turn, message: ChatMessage): void => {
  turn.put("chat", message.id, message)
  const there = turn.records.chatAt(chatPlaceOf(message))
  for (const [id] of there) {
    if (there.size <= CHAT_REMEMBERED) return
    turn.forget("chat", id)
  }
}

const send: CommandHandler<"chat.send"> = (turn, { to, text, replyTo = null }) => {
  const { by, freshId: id, at } = turn
  if (by === null) return refuse("forbidden", "Only people at the event write in its chat.")
  const role = actingRole(turn.records, by)
  const refused = barred(turn, role, to)
  if (refused !== undefined) return refused
  const roomId = to === "room" ? roomOf(turn.records, by.participantId) : null
  const place = chatPlaceOf({ to, roomId })
  const answered = replyTo === null ? undefined : find(turn, replyTo)
  if (replyTo !== null && (answered === undefined || chatPlaceOf(answered) !== place)) return noSuch("message")
  const early = tooSoon(turn, role, by)
  if (early !== undefined) return early
  const message: ChatMessage = {
    id,
    to,
    roomId,
    participantId: by.participantId,
    name: by.name ?? "",
    role: narrowRole(role === "anonymous" ? "viewer" : role, phaseTraits(turn.state).modality),
    text: text.trim(),
    replyTo,
    at,
    rev: 1,
  }
  remember(turn, message)
  publishAt(turn, place, (stream) => turn.publish("chat.message", stream, { message }))
  return { message }
}

const remove: CommandHandler<"chat.delete"> = (turn, { id }, rev) => {
  const message = find(turn, id)
  if (message === undefined) return noSuch("message")
  const { by } = turn
  if (by !== null && by.participantId !== message.participantId && !isOfStaff(actingRole(turn.records, by))) {
    return refuse("forbidden", "Only staff can delete what somebody else wrote.")
  }
  if (rev !== undefined && rev !== message.rev) return refuse("conflict", "The message is another now.", { message })
  // A message that was read back is not among the records, and must be added before it can be removed.
  turn.put("chat", id, message)
  turn.remove("chat", id)
  turn.remove("pastChat", id)
  publishAt(turn, chatPlaceOf(message), (stream) => turn.publish("chat.deleted", stream, { ids: [id] }))
  return { id }
}

/** Deletes these people's messages in memory, as `chat.delete` does. Older ones are in the store alone. */
export const deleteMessagesOf = (turn: Turn, people: ReadonlySet<string>): void => {
  const places = new Map<ChatPlace, string[]>()
  for (const message of [...turn.all("chat").values()]) {
    if (!people.has(message.participantId)) continue
    turn.remove("chat", message.id)
    const place = chatPlaceOf(message)
    places.set(place, [...(places.get(place) ?? []), message.id])
  }
  for (const [place, ids] of places) publishAt(turn, place, (stream) => turn.publish("chat.deleted", stream, { ids }))
}

const messagesAt = ({ records }: ReadContext, place: ChatPlace): ReadonlyArray<ChatMessage> => [
  ...records.chatAt(place).values(),
]

export const chat = {
  commands: {
    "chat.send": send,
    "chat.delete": remove,
    "chat.slow": (turn, { perMs }) => {
      if (turn.settings.chatSlowMs !== perMs) {
        turn.put("settings", ONLY, { ...turn.settings, chatSlowMs: perMs })
        turn.publish("chat.settings", "event", { slowMs: slowMsOf(turn, perMs) })
      }
      return { slowMs: perMs }
    },
  },
  on: {
    // The rooms end with their phase, and no participant can read their messages any more.
    "phase.over": (turn) => {
      for (const { id, to } of [...turn.all("chat").values()]) if (to === "room") turn.forget("chat", id)
    },
  },
  view: (context) => ({
    chat: {
      last: messagesAt(context, "event"),
      slowMs: slowMsOf(context, context.records.settings.chatSlowMs),
    },
  }),
  staffView: (context) => ({ staffChat: messagesAt(context, "staff") }),
  personalView: (context, participantId) => {
    const roomId = roomOf(context.records, participantId)
    return { roomChat: roomId === null ? [] : messagesAt(context, `room:${roomId}`) }
  },
} satisfies Activity
