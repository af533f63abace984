/** The kinds of object on a socket, the release, and the number by which client and server know that they fit together. Written from the contract by a test: do not edit. */
export const RELEASE = "0.1.0"
export const CONTRACT = 1
export const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  command: 3,
  reply: 4,
  reconnect: 7,
  hello: 10,
  heartbeatAck: 11,
  token: 12,
  error: 13
} as const
