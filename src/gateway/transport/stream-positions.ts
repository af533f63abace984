/**
 * The position of an event stream's client, as the client itself would keep it: the highest number of each stream without a gap before it.
 * It is sent as the `id` of events, and comes back as `Last-Event-ID`.
 */
import type { Resume } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"

/** The members of a sent object that concern positions. */
export interface Positioned {
  readonly op: number
  readonly t?: string
  readonly st?: string
  readonly s?: number
  readonly d?: {
    readonly resumed?: boolean
    readonly epoch?: string
    readonly cursors?: { readonly [stream: string]: number }
    readonly dropped?: ReadonlyArray<string>
  }
}

export const objectsOf = (frame: string): ReadonlyArray<Positioned> => {
  const parsed = JSON.parse(frame) as Positioned | ReadonlyArray<Positioned>
  return "op" in parsed ? [parsed] : parsed
}

interface Place {
  readonly epoch: string
  readonly cursors: ReadonlyMap<string, number>
}

/** A position. It never changes, so that streams at the same one share it. */
export interface StreamPosition extends Place {
  /** The `id` of an event that leads to this position. */
  readonly text: string
}

const positionOf = ({ epoch, cursors }: Place): StreamPosition => ({
  epoch,
  cursors,
  text: JSON.stringify({ epoch, cursors: Object.fromEntries(cursors) } satisfies Resume),
})

/** The position from which a client resumes. */
export const firstPosition = (resume: Resume | undefined): StreamPosition =>
  positionOf({ epoch: resume?.epoch ?? "", cursors: new Map(Object.entries(resume?.cursors ?? {})) })

const follow = (
  moved: Map<string, number>,
  { cursors = {}, dropped = [] }: NonNullable<Positioned["d"]>,
): Map<string, number> => {
  for (const stream of dropped) moved.delete(stream)
  for (const [stream, cursor] of Object.entries(cursors)) moved.set(stream, cursor)
  return moved
}

const afterOne = (place: Place, { op, t, st, s, d = {} }: Positioned): Place => {
  const { epoch, cursors } = place
  if (op !== OP.dispatch) return place
  if (t === "ready" && d.resumed !== true) return { epoch: d.epoch ?? "", cursors: follow(new Map(), d) }
  const isNumbered = st !== undefined && s !== undefined
  // A dispatch behind a gap moves nothing, so that a resume begins before the gap.
  if (isNumbered && s !== (cursors.get(st) ?? Number.NaN) + 1) return place
  if (t !== "subscribed" && st === undefined) return place
  const moved = new Map(cursors)
  if (isNumbered) moved.set(st, s)
  return { epoch, cursors: t === "subscribed" ? follow(moved, d) : moved }
}

/** The position after these objects: the same one where they change nothing. */
export const positionAfter = (position: StreamPosition, objects: ReadonlyArray<Positioned>): StreamPosition => {
  const after = objects.reduce<Place>(afterOne, position)
  return after === position ? position : positionOf(after)
}
