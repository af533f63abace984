/** WebSocket of a page: replaces `platformSocket` in the files that the server gives to pages, which never run on Node. */
import type { SocketConstructor } from "./socket.ts"

export const platformSocket = (): SocketConstructor =>
  (globalThis as unknown as { readonly WebSocket: SocketConstructor }).WebSocket
