/** Addresses of media: where bytes are put, and where they are watched. Each is signed when it is answered. */
import type { LinkAudience, LinkUse, MediaLinks } from "../../media/links.ts"
import type { Recording } from "../../model/media/recording.ts"
import { type Timestamp, toMillis } from "../../model/timestamp.ts"
import type { Recording as ShownRecording } from "../contract/events/recordings.ts"

/** A player that was opened goes on for at least six hours. */
const WATCH_HOURS = 6
const HOUR_SECONDS = 3600

/** What an address is made for. */
export interface Addressing {
  readonly publicUrl: string
  readonly links: MediaLinks["Service"]
  /** Unix milliseconds. */
  readonly now: number
  readonly audience: LinkAudience
}

export const uploadAddress = (
  id: string,
  expiresAt: Timestamp,
  publicUrl: string,
  links: MediaLinks["Service"],
): string => {
  const expires = Math.floor(toMillis(expiresAt) / 1000)
  return `${publicUrl}/v1/media/uploads/${links.sign({ use: "upload", id, audience: "workspace", expires })}`
}

/** Null until the recording, or for `captions` the transcript, is ready. */
export const watchAddress = (
  { id, status }: Pick<Recording, "id" | "status">,
  use: Exclude<LinkUse, "upload">,
  { publicUrl, links, now, audience }: Addressing,
): string | null => {
  if (status !== "ready") return null
  const folder = use === "captions" ? "captions" : "recordings"
  // Whole hours: within one the address stays the same, so that answers and players can cache it.
  const expires = (Math.floor(now / 1000 / HOUR_SECONDS) + WATCH_HOURS + 1) * HOUR_SECONDS
  return `${publicUrl}/v1/media/${folder}/${links.sign({ use, id, audience, expires })}`
}

export const shownRecording = (recording: Recording, addressing: Addressing): ShownRecording => {
  const { id, eventId, phaseId, roomId, kind, source, title, status } = recording
  const { sizeBytes, contentType, durationMs, failure, createdAt } = recording
  return {
    id,
    eventId,
    phaseId,
    roomId,
    kind,
    source,
    title,
    status,
    sizeBytes,
    contentType,
    durationMs,
    playbackUrl: watchAddress(recording, "play", addressing),
    downloadUrl: watchAddress(recording, "download", addressing),
    failure,
    createdAt,
  }
}
