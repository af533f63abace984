/** Files written by the media server beside the recording of a broadcast room. */

export const STAGE_FILES = {
  /** Playlist of the last segments; rewritten with each. */
  live: "live.m3u8",
  /** Playlist of all segments; complete once the recording has ended. */
  whole: "index.m3u8",
  /** Prefix of segment names, followed by a number and `.ts`. */
  segments: "segment",
} as const
