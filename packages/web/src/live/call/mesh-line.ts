/** Calls between browsers, or through the media server of this server. */
import type { GatewayClient } from "@gathercue/client"
import { MediaCall, type MediaPeer, MOST_PICTURES } from "@gathercue/client/media"
import type { CallTransport } from "./call-line.ts"

export const meshLineOf = (client: GatewayClient): CallTransport<ReadonlyArray<MediaPeer>> => {
  const call = new MediaCall(client)
  return {
    nobody: [],
    start: (tracks) => call.start(tracks),
    stop: () => call.stop(),
    retry: () => call.retry(),
    setMuted: (isMuted) => call.setMuted(isMuted),
    setMicrophone: (track) => call.setMicrophone(track),
    setCamera: (track) => call.setCamera(track),
    // Of more people than there are places the server chooses those who speak.
    show: (heights) =>
      call.show(
        heights.size > MOST_PICTURES ? [] : Array.from(heights, ([connectionId, height]) => ({ connectionId, height })),
      ),
    listen: (listener) => {
      call.on("state", (state) => listener({ state }))
      call.on("peers", (people) => listener({ people }))
      call.on("muted", (held) => listener({ held }))
      call.on("asked", (asked) => listener({ asked }))
      call.on("problem", ({ code }) => {
        // The call repairs a fault of one link; a seat on a media server has its own line.
        if (code !== "link" && code !== "mediaServer") listener({ problem: code })
      })
    },
  }
}
