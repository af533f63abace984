/** Addresses of a broadcast on this server, for playback and for its encoder. */
import { type PlaybackUrlOf, playbackUrl } from "../../model/media/playback-url.ts"
import type { MediaLinks } from "../links.ts"
import type { LIVE_PLAYLIST, STAGE_PLAYLIST } from "./live-settings.ts"

const HOUR_SECONDS = 3600

export interface AddressGiven {
  /** Address of this server, or of a CDN before it. */
  readonly watchUrl: string
  readonly links: MediaLinks["Service"]
  readonly maxHours: number
  /** Playlist by the source of broadcasts: encoders that push to this server, or the media server. */
  readonly playlist: typeof LIVE_PLAYLIST | typeof STAGE_PLAYLIST
}

/**
 * Playlist address of a broadcast. For a private event it has a credential, which is valid until an hour after the longest broadcast, and
 * later while the broadcast goes on. It is in the path, because relative addresses in a playlist would drop a query.
 */
const ownPlaybackUrl =
  ({ watchUrl, links, maxHours, playlist }: AddressGiven): PlaybackUrlOf =>
  ({ broadcastId, isPrivate, startedAt }) => {
    const expires = (Math.floor(startedAt / 1000 / HOUR_SECONDS) + maxHours + 2) * HOUR_SECONDS
    const key = isPrivate
      ? links.sign({ use: "play", kind: "broadcast", id: broadcastId, audience: "workspace", expires })
      : broadcastId
    return `${watchUrl}/v1/live/${key}/${playlist}`
  }

/** The deployment's choice: its template, this server's own playlist, or none. */
export const playbackUrlBy =
  (template: string | null, own: AddressGiven | null): PlaybackUrlOf =>
  (broadcast) => {
    if (template !== null) return playbackUrl(template, broadcast)
    return own === null ? null : ownPlaybackUrl(own)(broadcast)
  }

interface EncoderAddress {
  /** Address of the playlist, beside which an encoder puts its files. */
  readonly url: string
  readonly streamUrl: string
  readonly token: string
}

/** The addresses are credentials: each holds the token. */
export const ingestAddress = (publicUrl: string, token: string): EncoderAddress => {
  const url = `${publicUrl}/v1/ingest/${token}`
  return { url: `${url}/index.m3u8`, streamUrl: `${url}/stream`, token }
}
