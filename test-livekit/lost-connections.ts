/** What LiveKit's client and Chromium write to the console when a connection of a call ends or cannot be made, which the tests cause. */

/** By LiveKit's client 2.22, before the details in braces. */
const CLIENT = [
  // Of a connection that has ended, or of a try to connect that was given up.
  ...["RELIABLE", "LOSSY", "DATA_TRACK_LOSSY"].map((name) => `publisher data channel '${name}' closed unexpectedly`),
  "could not createOffer with closed peer connection",
  "websocket closed",
  "Abort connection attempt due to user initiated disconnect",
  "abort transport connection",
  "detected connection state mismatch",
  // Of a server that has gone, and of one that has come back and knows the connection no more.
  "signal disconnected",
  "reconnect disconnected",
  "Failed to fetch",
  "Received leave request while trying to (re)connect",
  "failed to remove track",
]

const CHROMIUM = [
  "Failed to load resource: net::ERR_CONNECTION_REFUSED",
  "Failed to load resource: net::ERR_CONNECTION_RESET",
  "WebSocket is already in CLOSING or CLOSED state.",
]

const SOCKET = [
  "Error in connection establishment: net::ERR_CONNECTION_REFUSED",
  "Error during WebSocket handshake: net::ERR_CONNECTION_RESET",
  "WebSocket is closed before the connection is established.",
]

const anyOf = (texts: ReadonlyArray<string>): string =>
  `(?:${texts.map((text) => text.replaceAll(/[()[\].?*+^$\\|{}]/g, "\\$&")).join("|")})`

export const LOST = new RegExp(
  [
    `^${anyOf(CLIENT)} \\{room: `,
    `^${anyOf(CHROMIUM)}$`,
    `^WebSocket connection to 'ws://127\\.0\\.0\\.1:\\d+/rtc/v1\\?[^']+' failed: ${anyOf(SOCKET)}$`,
  ].join("|"),
)
