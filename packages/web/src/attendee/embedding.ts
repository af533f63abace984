/**
 * Messages between this page and the page that embeds it in a frame. Only pages of EMBED_ORIGINS may do that: the server tells the browser
 * so (`frame-ancestors`). Messages are sent only to that page's origin, and accepted only from that page.
 */

/** Message to the embedding page. `phase` is null between two phases. */
type Told =
  | { readonly type: "gathercue.ready"; readonly eventId: string }
  | {
      readonly type: "gathercue.phase"
      readonly eventId: string
      readonly phase: { readonly id: string; readonly modality: string } | null
    }
  | { readonly type: "gathercue.ended"; readonly eventId: string }

const ENTER = "gathercue.enter"
/** Maximum length of a session token of the server. */
const LONGEST_TOKEN = 8192

/** Origin of the embedding page; null when there is none, or the browser does not reveal it. */
const embedderOf = (): string | null => {
  if (window.parent === window) return null
  // Missing in some browsers.
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

/** Calls `enter` with the session of each `gathercue.enter` of the embedding page, until the returned function is called. */
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
