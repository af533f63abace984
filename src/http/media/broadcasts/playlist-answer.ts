/** Answers with playlists of HLS, and who may keep what viewers of a broadcast get. */
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

/** The CDN keeps nothing of a private event: whoever asks it is not checked. `cdnSeconds`: how long it keeps more than viewers do. */
export const cacheControl = (visibility: Visibility, maxAgeSeconds: number, cdnSeconds?: number): string => {
  if (visibility === "private") return `private, max-age=${maxAgeSeconds}`
  return `public, max-age=${maxAgeSeconds}${cdnSeconds === undefined ? "" : `, s-maxage=${cdnSeconds}`}`
}

/** 304 if the client has it. */
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
