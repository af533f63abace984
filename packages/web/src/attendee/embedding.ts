/**
 * Messages between this page and the page that shows it in a frame. Only pages of EMBED_ORIGINS may do that: the server says so to the
 * browser (`frame-ancestors`). A message is sent to the origin of that page alone, and taken from that page alone.
 */

/** To the embedding page. `phase`: null between two. */
export type Told =
  | { readonly type: "gathercue.ready"; readonly eventId: string }
  | {
      readonly type: "gathercue.phase"
      readonly eventId: string
      readonly phase: { readonly id: string; readonly modality: string } | null
    }
  | { readonly type: "gathercue.ended"; readonly eventId: string }

const ENTER = "gathercue.enter"
/** No session of the server is longer. */
const LONGEST_TOKEN = 8192

/** The origin of the embedding page; null: there is none, or the browser does not tell. */
const embedderOf = (): string | null => {
  if (window.parent === window) return null
  // Not in every browser.
  const ancestors: DOMStringList | undefined = location.ancestorOrigins
  const [nearest] = ancestors ?? []
  if (nearest !== undefined) return nearest
  return URL.canParse(document.referrer) ? new URL(document.referrer).origin : null
}

const embedder = embedderOf()

export const tellEmbedder = (told: Told): void => {
  if (embedder !== null) window.parent.postMessage(told, embedder)
}

const tokenIn = (data: unknown): string | undefined => {
  if (typeof data !== "object" || data === null) return undefined
  const { type, sessionToken } = data as { readonly type?: unknown; readonly sessionToken?: unknown }
  const isToken = typeof sessionToken === "string" && sessionToken !== "" && sessionToken.length <= LONGEST_TOKEN
  return type === ENTER && isToken ? sessionToken : undefined
}

/** Calls `enter` with the session of each `gathercue.enter` of the embedding page, until the function that it returns is called. */
export const onEmbedderEnter = (enter: (sessionToken: string) => void): (() => void) => {
  if (embedder === null) return () => {}
  const receive = ({ origin, source, data }: MessageEvent): void => {
    if (origin !== embedder || source !== window.parent) return
    const token = tokenIn(data)
    if (token !== undefined) enter(token)
  }
  addEventListener("message", receive)
  return () => removeEventListener("message", receive)
}
