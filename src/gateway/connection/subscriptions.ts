/** The topics of a connection, as a function of its life. Subscriptions are stored nowhere else. */
import { ownerOf, pollStream, roomStream } from "../../model/live/streams.ts"
import { actingAs } from "../../protocol/rule.ts"
import { ephemeralTopicsOf, type StreamName, streamsOf } from "../streams/stream-names.ts"
import { ephemeralTopic, roleTopic, streamTopic } from "../streams/topics.ts"
import type { Life } from "./lifecycle.ts"

const topicsOfStream = ({ eventId, mutes, isSlow }: Life, stream: StreamName): ReadonlyArray<string> => {
  // Frames of a participant's own stream are sent to each of their connections.
  if (ownerOf(stream) !== undefined) return []
  const topics = [streamTopic(eventId, stream)]
  for (const optOut of isSlow ? [] : ephemeralTopicsOf(stream)) {
    if (optOut === undefined || !mutes.has(optOut)) topics.push(ephemeralTopic(eventId, stream, optOut))
  }
  return topics
}

/** Topics of an open connection, and the fields of its life on which they depend. Its event and its opt-outs do not change. */
interface TopicGroup {
  readonly dependsOn: ReadonlyArray<keyof Life>
  readonly topics: (life: Life) => ReadonlyArray<string>
}

/** A paused connection keeps the topics without positions: those of polls and of its role. */
const GROUPS: ReadonlyArray<TopicGroup> = [
  {
    dependsOn: ["identity", "isPaused", "isSlow"],
    topics: (life) =>
      life.isPaused ? [] : streamsOf(life.identity, null).flatMap((stream) => topicsOfStream(life, stream)),
  },
  // Separate from the other streams, because thousands of connections change rooms at once.
  {
    dependsOn: ["roomId", "isPaused", "isSlow"],
    topics: (life) => (life.isPaused || life.roomId === null ? [] : topicsOfStream(life, roomStream(life.roomId))),
  },
  {
    dependsOn: ["polls"],
    topics: ({ eventId, polls }) => Array.from(polls, (pollId) => ephemeralTopic(eventId, pollStream(pollId))),
  },
  {
    dependsOn: ["identity"],
    topics: ({ eventId, identity }) => [roleTopic(eventId, actingAs(identity))],
  },
]

const topicsIn = (group: TopicGroup, life: Life): ReadonlyArray<string> =>
  life.state === "open" && !life.isReplay ? group.topics(life) : []

export const topicsOf = (life: Life): ReadonlyArray<string> => GROUPS.flatMap((group) => topicsIn(group, life))

/** The topics to leave and to enter. */
interface SubscriptionChange {
  readonly left: ReadonlyArray<string>
  readonly entered: ReadonlyArray<string>
}

const NO_CHANGE: SubscriptionChange = { left: [], entered: [] }

/** Computes only the groups that may differ: a vote changes a poll's topic and costs nothing for the streams. */
export const subscriptionChange = (before: Life, after: Life): SubscriptionChange => {
  if (before.state !== "open" && after.state !== "open") return NO_CHANGE
  // The engine releases all subscriptions of a closed socket.
  if (after.state === "closed") return NO_CHANGE
  const left: string[] = []
  const entered: string[] = []
  for (const group of GROUPS) {
    if (before.state === after.state && group.dependsOn.every((field) => before[field] === after[field])) continue
    const [was, is] = [topicsIn(group, before), topicsIn(group, after)]
    left.push(...was.filter((topic) => !is.includes(topic)))
    entered.push(...is.filter((topic) => !was.includes(topic)))
  }
  return { left, entered }
}
