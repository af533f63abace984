/** The owner's answers to a node that follows one of its broadcasts for its own viewers. */
import type { Timers } from "../../../clock/timers.ts"
import type { OpenBroadcast } from "../../live/open-broadcasts.ts"
import { type FollowAnswer, type FollowRequest, toText } from "./protocol.ts"

/** Most time for which an answer is held back; the asking node waits longer. */
const HOLD_MS = 3000
/** Number of segments whose parts a new follower gets, because players begin with those. */
const SEGMENTS_BACK = 4
/** Maximum bytes of parts in one answer: calls between nodes wait for each other. */
const MOST_BYTES = 512 * 1024

type Place = Pick<FollowRequest, "segment" | "part" | "partBytes">

interface Placed {
  readonly segment: number
  readonly index: number
  /** Bytes that the caller lacks. */
  readonly data: Uint8Array
}

/** Parts from a position on. */
function* partsAfter({ live: { memory, state } }: OpenBroadcast, place: Place): Generator<Placed> {
  for (let segment = place.segment; segment <= state.nextSegment; segment += 1) {
    const isFirst = segment === place.segment
    for (const [index, data] of memory.partsOf(segment).entries()) {
      if (isFirst && index < place.part) continue
      yield { segment, index, data: isFirst && index === place.part ? data.subarray(place.partBytes) : data }
    }
  }
}

/** The parts that fit in one answer. `isAll` means that none follow. */
const partsFrom = (
  one: OpenBroadcast,
  place: Place,
): { readonly parts: FollowAnswer["parts"]; readonly isAll: boolean } => {
  const parts: Array<FollowAnswer["parts"][number]> = []
  let room = MOST_BYTES
  for (const { segment, index, data } of partsAfter(one, place)) {
    if (room === 0) return { parts, isAll: false }
    const bytes = data.subarray(0, room)
    const isWhole = bytes.byteLength === data.byteLength
    parts.push({ segment, index, bytes: toText(bytes), isWhole })
    if (!isWhole) return { parts, isAll: false }
    room -= bytes.byteLength
  }
  return { parts, isAll: true }
}

const answerTo = (one: OpenBroadcast, request: FollowRequest): FollowAnswer => {
  const { live, visibility } = one
  const { epoch, version, state, memory, recordingId } = live
  const isKnown = request.epoch === epoch
  const first = Math.max(0, state.nextSegment - SEGMENTS_BACK)
  const place = isKnown && request.segment >= first ? request : { segment: first, part: 0, partBytes: 0 }
  const { parts, isAll } = partsFrom(one, place)
  const take = memory.lastTake
  const init = take > (isKnown ? request.take : 0) ? memory.file({ kind: "init", take }) : undefined
  return {
    type: "followed",
    epoch,
    version,
    visibility,
    recordingId: recordingId ?? null,
    state: isAll ? { ...state, open: state.open ?? null } : null,
    init: init === undefined ? null : { take, bytes: toText(init) },
    parts,
  }
}

/** Answers after a change, or after a while. */
export const followed = (one: OpenBroadcast, request: FollowRequest, timers: Timers): Promise<FollowAnswer> => {
  const { live } = one
  const isNews = (): boolean => request.epoch !== live.epoch || request.version !== live.version || live.isClosed
  if (isNews()) return Promise.resolve(answerTo(one, request))
  return new Promise((resolve) => {
    const done = (): void => {
      silence()
      stop()
      resolve(answerTo(one, request))
    }
    const stop = timers.after(HOLD_MS, done)
    const silence = live.changes.subscribe(() => {
      if (isNews()) done()
    })
  })
}
