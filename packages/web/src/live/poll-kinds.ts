/** Kinds of polls whose voters write the answers. */
import type { PollKind } from "@gathercue/client"

/** Number of answers that a voter writes, and the longest of them in characters. */
export const WRITTEN: { readonly [kind in PollKind]?: readonly [answers: number, longest: number] } = {
  text: [1, 140],
  wordcloud: [3, 40],
}

export const isWritten = (kind: PollKind): boolean => WRITTEN[kind] !== undefined
