/** The numbers and shapes of the protocol that the kit needs. It imports nothing of the server: it also checks others. */
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

/** The number of the contract that this kit describes. */
export const CONTRACT = 1

/** An object of a frame, or its data. */
export interface Frame {
  readonly [field: string]: unknown
}

export type Cursors = { readonly [stream: string]: number }

/** A position in an event: what `resume` carries, and the `id` of an event of a stream. */
export interface Position {
  readonly epoch: string
  readonly cursors: Cursors
}

export const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The objects of a text frame. One that is not JSON, or no object, is kept as `unreadable`, which no check expects. */
export const framesIn = (text: string): ReadonlyArray<Frame> => {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    frame = text
  }
  return (Array.isArray(frame) ? frame : [frame]).map((one) => (isFrame(one) ? one : { unreadable: one }))
}

/** The object at a path such as `d.me`, or an empty one. */
export const at = (frame: Frame | undefined, ...path: ReadonlyArray<string>): Frame => {
  let value: unknown = frame
  for (const name of path) value = isFrame(value) ? value[name] : undefined
  return isFrame(value) ? value : {}
}

/** The position after a frame: the `ready` of a new state, a stream that begins or ends, or the next dispatch of one. */
export const moved = (position: Position, { op, t, st, s, d }: Frame): Position => {
  if (op !== OP.dispatch) return position
  const data = isFrame(d) ? d : {}
  const cursors = (data["cursors"] ?? {}) as Cursors
  if (t === "ready") return data["resumed"] === true ? position : { epoch: String(data["epoch"]), cursors }
  if (t === "subscribed") {
    const dropped = data["dropped"] as ReadonlyArray<string>
    const kept = Object.entries(position.cursors).filter(([stream]) => !dropped.includes(stream))
    return { ...position, cursors: { ...Object.fromEntries(kept), ...cursors } }
  }
  const known = position.cursors[String(st)]
  if (known === undefined || typeof s !== "number" || s !== known + 1) return position
  return { ...position, cursors: { ...position.cursors, [String(st)]: s } }
}
