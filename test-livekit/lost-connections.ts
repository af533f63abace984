/**
 * What LiveKit's client and Chromium write to the console when a connection of a call ends or cannot be made, which the tests cause. Which of
 * them are written depends on the moment of the end: the list is from runs and from the client's code for such an end.
 */

/** By LiveKit's client 2.22, before the details in braces. */
const CLIENT = [
  // A room that is left, and a try to enter one that is given up.
  /publisher data channel '(?:RELIABLE|LOSSY|DATA_TRACK_LOSSY)' closed unexpectedly/,
  /DataChannel error on (?:lossy|reliable): User-Initiated Abort, reason=Close called/,
  /could not createOffer with closed peer connection/,
  /websocket closed/,
  /Abort connection attempt due to user initiated disconnect/,
  /abort transport connection/,
  /detected connection state mismatch/,
  /skipping incoming track after Room disconnected/,
  // Somebody else who leaves before all of their tracks are here.
  /Tried to add a track for a participant, that's not present\. Sid: \w+/,
  /received unpublished event for unknown track/,
  // A server that has gone, and one that has come back and does not know the connection.
  /websocket error/,
  /(?:signal|peerconnection failed|negotiation|reconnect) disconnected/,
  /already attempting reconnect, returning early/,
  /Failed to fetch/,
  /Received leave request while trying to \(re\)connect/,
  /cannot send signal request before connected, type: \w+/,
  /failed to remove track/,
]

const CHROMIUM = [
  /Failed to load resource: net::ERR_(?:CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/,
  /WebSocket is already in CLOSING or CLOSED state\./,
]

const SOCKET = [
  /Error in connection establishment: net::ERR_CONNECTION_REFUSED/,
  /Error during WebSocket handshake: net::ERR_CONNECTION_RESET/,
  /Connection closed before receiving a handshake response/,
  /WebSocket is closed before the connection is established\./,
]

const anyOf = (texts: ReadonlyArray<RegExp>): string => `(?:${texts.map(({ source }) => source).join("|")})`

export const LOST = new RegExp(
  [
    `^${anyOf(CLIENT)} \\{room: `,
    `^${anyOf(CHROMIUM)}$`,
    `^WebSocket connection to 'ws://127\\.0\\.0\\.1:\\d+/rtc/v1\\?[^']+' failed: ${anyOf(SOCKET)}$`,
  ].join("|"),
)
