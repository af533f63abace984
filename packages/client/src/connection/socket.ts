/** The WebSocket a client uses: the platform's own, or that of a library on older Node. */

/** No connection can be tried on this platform. */
export class NoWebSocket extends Error {
  override readonly name = "NoWebSocket"
  /** A failure that ends the client, as a refusal of the server does (`failures.ts`). */
  readonly status = 400
}

/** The part of the WebSocket standard that the client uses. */
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

/** The name in a form that no bundler evaluates: a bundle for browsers neither holds the library nor asks for it. */
const LIBRARY_OF_OLDER_NODE = ["undici"]

/** Browsers and Node 22 have one. Node 20 does not; there the one of `undici` is used, if the application has installed it. */
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
