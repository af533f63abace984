/** Kinds of objects on a socket. A separate module without validators: a browser needs only the numbers. */
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
  error: 13,
} as const
