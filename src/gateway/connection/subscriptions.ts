/** The topics that a connection is subscribed to, as a function of its life. No subscription is kept anywhere else. */
import { ownerOf, pollStream } from "../../model/live/streams.ts"
import { actingAs } from "../../protocol/rule.ts"
import { ephemeralTopicsOf, type StreamName, streamsOf } from "../broadcast/stream-names.ts"
import { ephemeralTopic, roleTopic, streamTopic } from "../broadcast/topics.ts"
import type { Life } from "./lifecycle.ts"

const topicsOfStream = ({ eventId, mutes, isSlow }: Life, stream: StreamName): ReadonlyArray<string> => {
  // Frames of a participant's own stream are sent to each of its connections.
  if (ownerOf(stream) !== undefined) return []
  const ephemeral = isSlow ? [] : ephemeralTopicsOf(stream)
  return [
    streamTopic(eventId, stream),
    ...ephemeral
      .filter((optOut) => optOut === undefined || !mutes.has(optOut))
      .map((optOut) => ephemeralTopic(eventId, stream, optOut)),
  ]
}

/** A paused connection keeps the topics without positions: that of its role, and those of the polls. */
export const topicsOf = (life: Life): ReadonlyArray<string> => {
  if (life.state !== "open") return []
  const { eventId, identity, roomId, polls, isPaused } = life
  const streams = isPaused ? [] : streamsOf(identity, roomId)
  return [
    ...streams.flatMap((stream) => topicsOfStream(life, stream)),
    ...Array.from(polls, (pollId) => ephemeralTopic(eventId, pollStream(pollId))),
    roleTopic(eventId, actingAs(identity)),
  ]
}

/** The topics that one life has and another has not. */
export interface SubscriptionChange {
  readonly left: ReadonlyArray<string>
  readonly entered: ReadonlyArray<string>
}

const NO_CHANGE: SubscriptionChange = { left: [], entered: [] }

/** The fields that the topics of an open connection depend on; its event and its opt-outs stay. */
const DEPENDS_ON = ["state", "identity", "roomId", "polls", "isPaused", "isSlow"] as const

export const subscriptionChange = (before: Life, after: Life): SubscriptionChange => {
  if (before.state !== "open" && after.state !== "open") return NO_CHANGE
  // The engine releases a closed socket with all that it is subscribed to.
  if (after.state === "closed") return NO_CHANGE
  if (DEPENDS_ON.every((field) => before[field] === after[field])) return NO_CHANGE
  const [was, is] = [topicsOf(before), topicsOf(after)]
  const [wasIn, isIn] = [new Set(was), new Set(is)]
  return { left: was.filter((topic) => !isIn.has(topic)), entered: is.filter((topic) => !wasIn.has(topic)) }
}
