/** Operator's check that the media server answers and accepts the key. */
import { Redacted } from "effect"
import type { MediaServer } from "../seats.ts"

const WITHIN_SECONDS = 5

/** Rejects with a sentence. */
export const tryMediaServer = async ({ url, apiKey, apiSecret }: MediaServer): Promise<void> => {
  const { RoomServiceClient } = await import("livekit-server-sdk")
  const options = { requestTimeout: WITHIN_SECONDS, failover: false }
  const client = new RoomServiceClient(url, apiKey, Redacted.value(apiSecret), options)
  try {
    await client.listRooms()
  } catch (cause) {
    const { status, message } = cause as Error & { readonly status?: number }
    throw new Error(
      status === 401
        ? "The media server at MEDIA_URL refuses the key MEDIA_API_KEY, or its secret."
        : `The media server at MEDIA_URL cannot be used (${message}).`,
    )
  }
}
