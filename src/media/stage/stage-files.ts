/** The files that the media server writes beside the recording of a room that is broadcast. */

export const STAGE_FILES = {
  /** Of the last segments; written anew with each. */
  live: "live.m3u8",
  /** Of all segments; whole once the recording has ended. */
  whole: "index.m3u8",
  /** Followed by a number, and `.ts`. */
  segments: "segment",
} as const
