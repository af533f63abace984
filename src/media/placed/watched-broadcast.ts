/** A broadcast as served to viewers of this process: the owner's own object, or a copy that follows it. */
import type { Visibility } from "../../model/event.ts"
import type { LiveBroadcast } from "../live/live-broadcast.ts"
import type { SegmentMemory } from "../live/segment-memory.ts"

export interface WatchedBroadcast {
  readonly visibility: Visibility
  readonly live: Pick<LiveBroadcast, "changes" | "state" | "playlist" | "hasEnded" | "isClosed" | "recordingId"> & {
    readonly memory: Pick<SegmentMemory, "file">
  }
}
