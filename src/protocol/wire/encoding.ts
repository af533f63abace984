/** Encodes dispatches as the text sent to sockets. */
import { wireStream } from "../../model/live/streams.ts"
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

/**
 * Adds a field to the data of an encoded dispatch, whose data is the last member of the frame and not empty. Editing the text avoids
 * storing the data a second time for the few dispatches that get a field when they are sent.
 */
export const withField = (frame: string, name: string, value: unknown): string =>
  `${frame.slice(0, -"}}".length)},${JSON.stringify(name)}:${JSON.stringify(value)}}}`

/** An encoded dispatch under another number in its stream. */
export const renumbered = (frame: string, s: number): string => frame.replace(/"s":\d+/u, `"s":${s}`)

/** `at`: Unix milliseconds. */
export const encodeEphemeralFrame = (t: string, at: number, d: object): string =>
  JSON.stringify({ op: OP.dispatch, t, ts: at, d })
