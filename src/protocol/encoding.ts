/** The text of dispatches on a socket. */
import { wireStream } from "../model/live/streams.ts"
import { OP } from "./op.ts"

/** `at`: Unix milliseconds. */
export const encodeOrdered = ({
  stream,
  s,
  version,
  at,
  t,
  d,
}: {
  readonly stream: string
  readonly s: number
  readonly version: number
  readonly at: number
  readonly t: string
  readonly d: object
}): string => JSON.stringify({ op: OP.dispatch, st: wireStream(stream), s, v: version, ts: at, t, d })

/** `at`: Unix milliseconds. */
export const encodeEphemeralFrame = (t: string, at: number, d: object): string =>
  JSON.stringify({ op: OP.dispatch, t, ts: at, d })
