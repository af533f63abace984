/**
 * Attaches a file or an HLS playlist to a video element: natively where the browser can, otherwise with hls.js, which is loaded only then.
 */
import type Hls from "hls.js"

const HLS_TYPE = "application/vnd.apple.mpegurl"
/** Interval between attempts to load a picture that does not exist yet. */
const RETRY_MS = 3000

const isPlaylist = (url: string): boolean => new URL(url, location.href).pathname.endsWith(".m3u8")

const playOrMute = (video: HTMLVideoElement): void => {
  // A browser that does not allow sound yet allows the picture: the viewer turns the sound on at the element.
  video.play().catch(() => {
    video.muted = true
    video.play().catch(() => {})
  })
}

const byLibrary = async (video: HTMLVideoElement, url: string, signal: AbortSignal): Promise<void> => {
  const { default: Library } = await import("hls.js/light")
  if (signal.aborted) return
  const hls: Hls = new Library()
  signal.addEventListener("abort", () => hls.destroy())
  hls.on(Library.Events.ERROR, (_event, { fatal, type }) => {
    if (!fatal) return
    if (type === Library.ErrorTypes.MEDIA_ERROR) hls.recoverMediaError()
    else setTimeout(() => (signal.aborted ? undefined : hls.loadSource(url)), RETRY_MS)
  })
  hls.loadSource(url)
  hls.attachMedia(video)
}

const byBrowser = (video: HTMLVideoElement, url: string, isLive: boolean, signal: AbortSignal): void => {
  let retry: ReturnType<typeof setTimeout> | undefined
  const failed = (): void => {
    retry = setTimeout(() => {
      video.src = url
      playOrMute(video)
    }, RETRY_MS)
  }
  if (isLive) video.addEventListener("error", failed, { signal })
  signal.addEventListener("abort", () => {
    clearTimeout(retry)
    video.removeAttribute("src")
    video.load()
  })
  video.src = url
}

/** Stays attached until the returned function is called. `isLive` starts playing at once, and retries until there is a picture. */
export const attach = (video: HTMLVideoElement, url: string, isLive: boolean): (() => void) => {
  const ended = new AbortController()
  if (isPlaylist(url) && video.canPlayType(HLS_TYPE) === "") void byLibrary(video, url, ended.signal)
  else byBrowser(video, url, isLive, ended.signal)
  if (isLive) playOrMute(video)
  return () => ended.abort()
}
