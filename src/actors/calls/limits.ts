/**
 * How many people a call between browsers takes, and what each of them may send. Each browser sends its picture to every other
 * one, so its upload grows with the number of people: (n - 1) times the rate below stays at about a megabit per second.
 */
import type { RtcLimits, RtcTracks } from "../../protocol/messages/media.ts"

/** The most people of a call without any picture. */
export const MAX_AUDIO_PEERS = 8

const AUDIO = { maxKbps: 40 }

type Picture = NonNullable<RtcLimits["video"]>

/** The largest picture of calls with up to so many people. */
const PICTURES: ReadonlyArray<Picture & { readonly upTo: number }> = [
  { upTo: 2, width: 1280, height: 720, frameRate: 30, maxKbps: 1200 },
  { upTo: 3, width: 640, height: 360, frameRate: 24, maxKbps: 500 },
  { upTo: 4, width: 640, height: 360, frameRate: 20, maxKbps: 350 },
  { upTo: 6, width: 320, height: 180, frameRate: 15, maxKbps: 150 },
]

const pictureOf = (count: number): Picture | null => {
  const found = PICTURES.find(({ upTo }) => count <= upTo)
  if (found === undefined) return null
  const { width, height, frameRate, maxKbps } = found
  return { width, height, frameRate, maxKbps }
}

/** `maxPeers`: the limit of people where anybody sends a picture. */
export const limitsOf = (count: number, maxPeers: number): RtcLimits => ({
  maxPeers,
  maxAudioPeers: MAX_AUDIO_PEERS,
  video: count <= maxPeers ? pictureOf(count) : null,
  audio: AUDIO,
})

/** Does the call have room for these tracks beside those of the others? */
export const hasRoom = (others: ReadonlyArray<RtcTracks>, have: RtcTracks, maxPeers: number): boolean => {
  const isWithPicture = have.video || others.some(({ video }) => video)
  return others.length < (isWithPicture ? Math.min(maxPeers, MAX_AUDIO_PEERS) : MAX_AUDIO_PEERS)
}

export const fullMessage = (maxPeers: number): string =>
  `Without a media server a room has at most ${maxPeers} people with sound and picture, or ${MAX_AUDIO_PEERS} with sound alone.`
