/** HLS playlist responses, and cache control for viewers of a broadcast. */
import type { Visibility } from "../../../model/event.ts"
import { namesTag } from "../../transport/etag.ts"
import type { HttpResponse } from "../../transport/message.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"

const PLAYLIST = "application/vnd.apple.mpegurl"

export interface TaggedPlaylist {
  readonly body: Uint8Array
  readonly etag: string
  readonly maxAgeSeconds: number
}

/**
 * A CDN must not cache a private event, because it does not check its callers. `cdnSeconds` is how much longer a CDN may cache than
 * viewers.
 */
export const cacheControl = (visibility: Visibility, maxAgeSeconds: number, cdnSeconds?: number): string => {
  if (visibility === "private") return `private, max-age=${maxAgeSeconds}`
  return `public, max-age=${maxAgeSeconds}${cdnSeconds === undefined ? "" : `, s-maxage=${cdnSeconds}`}`
}

/** Sends the playlist, or 304 if the client has it. */
export const sendPlaylist = (
  exchange: Exchange,
  head: RequestHead,
  { body, etag, maxAgeSeconds }: TaggedPlaylist,
  visibility: Visibility,
): void => {
  const headers: HttpResponse["headers"] = [
    ["content-type", PLAYLIST],
    ["cache-control", cacheControl(visibility, maxAgeSeconds)],
    ["etag", etag],
  ]
  if (namesTag(head.headers["if-none-match"], etag)) exchange.send({ status: 304, headers, body: "" })
  else exchange.sendBytes(200, headers, body)
}
