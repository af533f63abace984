/** The owner's answers to a node that follows one of its broadcasts for viewers there. */
import type { Timers } from "../../../clock/timers.ts"
import type { OpenBroadcast } from "../../live/open-broadcasts.ts"
import { type Followed, type FollowRequest, toText } from "./protocol.ts"

/** A node waits longer for an answer. */
const HOLD_MS = 3000
/** A node that begins to follow gets the parts of so many segments: players begin with those. */
const SEGMENTS_BACK = 4
/** Of the parts in one answer; a larger one goes alone. */
const MOST_BYTES = 1024 * 1024

interface Place {
  readonly segment: number
  readonly part: number
}

/** The parts from a place on, as many as one answer may have. `isAll`: none lie behind them. */
const partsFrom = (
  { live: { memory, state } }: OpenBroadcast,
  { segment, part }: Place,
): { readonly parts: Followed["parts"]; readonly isAll: boolean } => {
  const parts: Array<Followed["parts"][number]> = []
  let bytes = 0
  for (let number = segment; number <= state.nextSegment; number += 1) {
    const all = memory.partsOf(number)
    for (let index = number === segment ? part : 0; index < all.length; index += 1) {
      const data = all[index]
      if (data === undefined) continue
      bytes += data.byteLength
      if (bytes > MOST_BYTES && parts.length > 0) return { parts, isAll: false }
      parts.push({ segment: number, index, bytes: toText(data) })
    }
  }
  return { parts, isAll: true }
}

const answerTo = (one: OpenBroadcast, request: FollowRequest): Followed => {
  const { live, visibility } = one
  const { epoch, version, state, memory, recordingId } = live
  const isKnown = request.epoch === epoch
  const first = Math.max(0, state.nextSegment - SEGMENTS_BACK)
  const place = isKnown && request.segment >= first ? request : { segment: first, part: 0 }
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

/** Answers after a change, or a while. */
export const followed = (one: OpenBroadcast, request: FollowRequest, timers: Timers): Promise<Followed> => {
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
