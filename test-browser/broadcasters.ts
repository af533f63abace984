/** Pages that push a picture to a broadcast, and pages that watch it. The picture is a clock of coloured blocks, which viewers read back. */
import type { Page } from "playwright-core"
import type { GatewayClient } from "../packages/client/src/entry.ts"
import type { BroadcastPush } from "../packages/client/src/media-entry.ts"

declare global {
  interface Window {
    gathercue: typeof import("../packages/client/src/entry.ts") & typeof import("../packages/client/src/media-entry.ts")
    push: BroadcastPush
    client: GatewayClient
    states: string[]
  }
}

interface Source {
  readonly width: number
  readonly height: number
  readonly hasSound: boolean
}

export const SMALL: Source = { width: 320, height: 180, hasSound: true }

/** Draws the time as 32 blocks, black or white, and pushes that. */
export const pushFrom = (page: Page, streamUrl: string, source: Source = SMALL): Promise<void> =>
  page.evaluate(
    async ([url, { width, height, hasSound }]) => {
      const canvas = document.createElement("canvas")
      canvas.width = width
      canvas.height = height
      const context = canvas.getContext("2d") as CanvasRenderingContext2D
      const draw = (): void => {
        const now = Date.now() % 2 ** 32
        for (let bit = 0; bit < 32; bit++) {
          context.fillStyle = Math.floor(now / 2 ** bit) % 2 === 1 ? "white" : "black"
          context.fillRect(((bit % 8) * width) / 8, (Math.floor(bit / 8) * height) / 4, width / 8, height / 4)
        }
      }
      draw()
      // timed: the page draws pictures at a rate, as a camera does.
      setInterval(draw, 40)
      const stream = canvas.captureStream(25)
      if (hasSound) {
        const microphone = await navigator.mediaDevices.getUserMedia({ audio: true })
        for (const track of microphone.getAudioTracks()) stream.addTrack(track)
      }
      const mimeType = `video/mp4;codecs=avc1.42E01F${hasSound ? ",opus" : ""}`
      window.states = []
      window.push = new window.gathercue.BroadcastPush({
        streamUrl: url,
        makeRecorder: () =>
          new MediaRecorder(stream, { mimeType, videoKeyFrameIntervalDuration: 1000 } as MediaRecorderOptions),
        onState: (state, detail) => window.states.push(detail === undefined ? state : `${state}: ${detail}`),
      })
      window.push.start()
    },
    [streamUrl, source] as const,
  )

export const watch = (page: Page, url: string): Promise<void> =>
  page.evaluate((src) => {
    const video = document.querySelector("video") as HTMLVideoElement
    // So that its picture may be read.
    video.crossOrigin = "anonymous"
    video.src = src
    void video.play()
  }, url)

interface Watched {
  readonly seconds: number
  readonly duration: number
  readonly frames: number
  readonly width: number
  readonly hasEnded: boolean
  readonly error: string
}

export const watchedBy = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const video = document.querySelector("video") as HTMLVideoElement
    return {
      seconds: video.currentTime,
      duration: video.duration,
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      width: video.videoWidth,
      hasEnded: video.ended,
      error: video.error?.message ?? "",
    }
  })

/** How many milliseconds old the picture is that is shown; `undefined` before the first. */
export const ageOfPicture = (page: Page): Promise<number | undefined> =>
  page.evaluate(() => {
    const video = document.querySelector("video") as HTMLVideoElement
    const { videoWidth: width, videoHeight: height } = video
    if (width === 0) return undefined
    const canvas = document.createElement("canvas")
    canvas.width = width
    canvas.height = height
    const context = canvas.getContext("2d") as CanvasRenderingContext2D
    context.drawImage(video, 0, 0)
    let then = 0
    for (let bit = 0; bit < 32; bit++) {
      const x = Math.floor((((bit % 8) + 0.5) * width) / 8)
      const y = Math.floor(((Math.floor(bit / 8) + 0.5) * height) / 4)
      if ((context.getImageData(x, y, 1, 1).data[0] ?? 0) > 127) then += 2 ** bit
    }
    return (Date.now() % 2 ** 32) - then
  })
