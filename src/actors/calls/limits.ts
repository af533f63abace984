/**
 * Limits of a call: the number of people and the media that each may send. Without a media server each browser uploads its video to every
 * other one, so (n - 1) times the bitrate below stays at about one megabit per second.
 */
import type { RtcLimits, RtcTracks } from "../../protocol/messages/media.ts"

/** Most people in a call without video. */
export const MAX_AUDIO_PEERS = 8

const AUDIO = { maxKbps: 40 }

type Picture = NonNullable<RtcLimits["video"]>

/** Largest video format for calls of up to so many people. */
const PICTURES: ReadonlyArray<readonly [upTo: number, picture: Picture]> = [
  [2, { width: 1280, height: 720, frameRate: 30, maxKbps: 1200 }],
  [3, { width: 640, height: 360, frameRate: 24, maxKbps: 500 }],
  [4, { width: 640, height: 360, frameRate: 20, maxKbps: 350 }],
  [6, { width: 320, height: 180, frameRate: 15, maxKbps: 150 }],
]

/** A browser sends its picture to the media server once, in three layers; this is the largest one. */
const SERVED_PICTURE: Picture = { width: 1280, height: 720, frameRate: 30, maxKbps: 1500 }

const pictureOf = (count: number, isServed: boolean): Picture | null =>
  isServed ? SERVED_PICTURE : (PICTURES.find(([upTo]) => count <= upTo)?.[1] ?? null)

const mostWithSound = (maxPeers: number): number => Math.max(maxPeers, MAX_AUDIO_PEERS)

/** `maxPeers`: the limit once anybody sends video. */
export const limitsOf = (count: number, maxPeers: number, isServed: boolean): RtcLimits => ({
  maxPeers,
  maxAudioPeers: mostWithSound(maxPeers),
  video: count <= maxPeers ? pictureOf(count, isServed) : null,
  audio: AUDIO,
})

/** Whether a peer with these tracks fits into the call beside the others. */
export const admitsPeer = (others: ReadonlyArray<RtcTracks>, have: RtcTracks, maxPeers: number): boolean => {
  const isWithPicture = have.video || others.some(({ video }) => video)
  return others.length < (isWithPicture ? maxPeers : mostWithSound(maxPeers))
}

export const fullMessage = (maxPeers: number): string =>
  mostWithSound(maxPeers) === maxPeers
    ? `This room has at most ${maxPeers} people.`
    : `This room has at most ${maxPeers} people with sound and picture, or ${mostWithSound(maxPeers)} with sound alone.`
