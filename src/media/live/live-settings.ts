/** Lengths and limits of broadcasts. */
import type { LiveNames, LiveOptions } from "../broadcast/playlist.ts"

export const SEGMENT_MS = 2000
export const PART_MS = 500
/** Segments in a live playlist: players may be half a minute behind. */
export const WINDOW = 12
/** Players reject a playlist of fewer segments as damaged. */
export const SEGMENTS_TO_START = 3

/** Addresses relative to the playlist. */
export const LIVE_NAMES: LiveNames = {
  init: (take) => `init${take}.mp4`,
  segment: (segment) => `s${segment}.m4s`,
  part: (segment, index) => `p${segment}.${index}.m4s`,
}

export const LIVE_OPTIONS: LiveOptions = { names: LIVE_NAMES, segmentMs: SEGMENT_MS, partMs: PART_MS }

/** Playlist name of a broadcast pushed to this server. */
export const LIVE_PLAYLIST = "index.m3u8"
/** Playlist name of a broadcast made by the media server. */
export const STAGE_PLAYLIST = "stage.m3u8"

export type BytesFile =
  | { readonly kind: "init"; readonly take: number }
  | { readonly kind: "segment"; readonly segment: number }
  | { readonly kind: "part"; readonly segment: number; readonly index: number }

export type LiveFile = BytesFile | { readonly kind: "playlist" }

const INIT = /^init(\d{1,9})\.mp4$/
const SEGMENT = /^s(\d{1,9})\.m4s$/
const PART = /^p(\d{1,9})\.(\d{1,4})\.m4s$/

/** `undefined` when the name is not that of a broadcast's file. */
export const liveFileOf = (name: string): LiveFile | undefined => {
  if (name === LIVE_PLAYLIST) return { kind: "playlist" }
  const init = INIT.exec(name)
  if (init !== null) return { kind: "init", take: Number(init[1]) }
  const segment = SEGMENT.exec(name)
  if (segment !== null) return { kind: "segment", segment: Number(segment[1]) }
  const part = PART.exec(name)
  return part === null ? undefined : { kind: "part", segment: Number(part[1]), index: Number(part[2]) }
}
