/** The WebSocket a client uses: the platform's own, or the one that comes with this package on older Node. */

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

/** Browsers and Node 22 have one; Node 20 does not, so there the implementation in `undici` is loaded. */
export const platformSocket = async (): Promise<SocketConstructor> => {
  const own = (globalThis as { readonly WebSocket?: unknown }).WebSocket
  if (own !== undefined) return own as SocketConstructor
  // Named by a variable, so that a bundler for browsers leaves it out.
  const library = "undici"
  const { WebSocket } = (await import(library)) as { readonly WebSocket: SocketConstructor }
  return WebSocket
}
