/**
 * Prepared announcements for staff, and the newest messages of each chat target that this client may read, in stream order. Replies are not
 * applied: only the dispatch that follows has a message's position among the others.
 */
import type { ChatMessageView, PreparedAnnouncementView } from "../contract/types.ts"
import type { Snapshot } from "../wire.ts"
import type { NewsOf } from "./news.ts"

/** Maximum number of messages kept per target; the oldest are dropped. */
const KEPT = 200

export interface ChatState {
  readonly event: ReadonlyArray<ChatMessageView>
  /** Messages of this participant's room. */
  readonly room: ReadonlyArray<ChatMessageView>
  readonly staff: ReadonlyArray<ChatMessageView>
  /** Milliseconds between two messages of one person; 0 means no slow mode. */
  readonly slowMs: number
}

export const chatIn = ({ chat, roomChat, staffChat }: Snapshot): ChatState => ({
  event: chat?.last ?? [],
  room: roomChat ?? [],
  staff: staffChat ?? [],
  slowMs: chat?.slowMs ?? 0,
})

const add = (messages: ReadonlyArray<ChatMessageView>, message: ChatMessageView): ReadonlyArray<ChatMessageView> =>
  messages.some(({ id }) => id === message.id) ? messages : [...messages, message].slice(-KEPT)

const deleteFrom = (state: ChatState, ids: ReadonlyArray<string>): ChatState => {
  const isLeft = ({ id }: ChatMessageView): boolean => !ids.includes(id)
  return {
    ...state,
    event: state.event.filter(isLeft),
    room: state.room.filter(isLeft),
    staff: state.staff.filter(isLeft),
  }
}

/** The messages of a room leave the state with the room. */
const leaveRooms = (state: ChatState, streams: ReadonlyArray<string>): ChatState => {
  const room = state.room.filter(({ roomId }) => streams.includes(`room:${roomId}`))
  return room.length === state.room.length ? state : { ...state, room }
}

export const chatAfter = (state: ChatState, dispatch: NewsOf<"chat">): ChatState => {
  switch (dispatch.t) {
    case "chat.message": {
      const { message } = dispatch.d
      const messages = add(state[message.to], message)
      return messages === state[message.to] ? state : { ...state, [message.to]: messages }
    }
    case "chat.deleted":
      return deleteFrom(state, dispatch.d.ids)
    case "chat.settings":
      return { ...state, slowMs: dispatch.d.slowMs }
    case "subscribed":
      return leaveRooms(state, Object.keys(dispatch.d.cursors))
  }
}

/** Announcements to be sent later, the oldest first. */
export type PreparedAnnouncements = ReadonlyArray<PreparedAnnouncementView>

export const announcementsAfter = (
  prepared: PreparedAnnouncements,
  { t, d }: NewsOf<"announcements">,
): PreparedAnnouncements => {
  switch (t) {
    case "announcement.prepared":
      return [...prepared, d.prepared]
    case "announcement.discarded":
      return prepared.filter(({ id }) => id !== d.id)
  }
}
