/** Answers with playlists of HLS. */
import { namesTag } from "../../transport/etag.ts"
import type { HttpResponse } from "../../transport/message.ts"
import type { Exchange, RequestHead } from "../../transport/uws-exchange.ts"

const PLAYLIST = "application/vnd.apple.mpegurl"

export interface TaggedPlaylist {
  readonly body: Uint8Array
  readonly etag: string
  readonly maxAgeSeconds: number
}

/** 304 if the client has it. */
export const sendPlaylist = (
  exchange: Exchange,
  head: RequestHead,
  { body, etag, maxAgeSeconds }: TaggedPlaylist,
): void => {
  const headers: HttpResponse["headers"] = [
    ["content-type", PLAYLIST],
    ["cache-control", `public, max-age=${maxAgeSeconds}`],
    ["etag", etag],
  ]
  if (namesTag(head.headers["if-none-match"], etag)) exchange.send({ status: 304, headers, body: "" })
  else exchange.sendBytes(200, headers, body)
}
