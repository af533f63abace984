/** WebSocket used by the client: the platform's own, or a library's on older Node. */

/** The platform has no WebSocket. */
class NoWebSocket extends Error {
  override readonly name = "NoWebSocket"
  /** A status that ends the client, like a refusal of the server (`failures.ts`). */
  readonly status = 400
}

/** The used part of the WebSocket standard. */
export interface SocketLike {
  readonly readyState: number
  send(text: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: "open", listener: () => void): void
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void
  addEventListener(type: "error", listener: () => void): void
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike

/** Module name in a form that no bundler evaluates: a bundle for browsers neither holds the library nor requests it. */
const LIBRARY_OF_OLDER_NODE = ["undici"]

/** Browsers and Node 22 have a WebSocket. On Node 20 the one of `undici` is used, if the application has installed it. */
export const platformSocket = async (): Promise<SocketConstructor> => {
  const own = (globalThis as { readonly WebSocket?: unknown }).WebSocket
  if (own !== undefined) return own as SocketConstructor
  const library = LIBRARY_OF_OLDER_NODE.join("")
  try {
    const { WebSocket } = (await import(/* @vite-ignore */ library)) as { readonly WebSocket: SocketConstructor }
    return WebSocket
  } catch (cause) {
    throw new NoWebSocket("This platform has no WebSocket. Give one as an option, or install `undici`.", { cause })
  }
}
