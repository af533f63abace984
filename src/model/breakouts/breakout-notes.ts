/** Deviations of a breakout plan from the request: stable codes, each with a sentence for the host. */
import { Schema } from "effect"

export const PLAN_NOTES = {
  fewer_rooms: "There are fewer rooms than the size asks for, so that nobody sits alone.",
  room_of_one: "Somebody sits alone in a room.",
  empty_rooms: "Some rooms stay empty: there are not enough people for them.",
  pin_ignored: "A pin was left out: there is no such room, or the person only watches.",
  block_split:
    "People who should share a room do not: no room has space for them, or they are pinned to different ones.",
  apart_together: "People who should not share a room do: there was no other place for them.",
  manual_unplaced: "The strategy manual seats only those who are pinned; the others are unplaced.",
  self_unplaced: "The strategy self seats nobody: people choose their rooms.",
} as const satisfies { readonly [code: string]: string }

type PlanNoteCode = keyof typeof PLAN_NOTES

/** `text` is for people and may change. */
export const PlanNote = Schema.Struct({
  code: Schema.Literals(Object.keys(PLAN_NOTES) as [PlanNoteCode, ...PlanNoteCode[]]),
  text: Schema.String,
})
export type PlanNote = typeof PlanNote.Type

interface Planned {
  readonly strategy: "balanced" | "manual" | "self"
  /** Number of people in each room. */
  readonly sizes: ReadonlyArray<number>
  /** People per room, if the number of rooms is derived from it. */
  readonly size: number | undefined
  readonly unplaced: number
  readonly ignoredPins: number
  readonly isSplit: boolean
  readonly isTogether: boolean
}

const noteOf = (code: PlanNoteCode): PlanNote => ({ code, text: PLAN_NOTES[code] })

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

export const planNotes = (planned: Planned): ReadonlyArray<PlanNote> => {
  const { strategy, sizes, size, unplaced, ignoredPins, isSplit, isTogether } = planned
  const seated = sum(sizes)
  const isBalanced = strategy === "balanced"
  const holds: { readonly [C in PlanNoteCode]: boolean } = {
    fewer_rooms: isBalanced && size !== undefined && Math.round(seated / size) > sizes.length,
    room_of_one: isBalanced && seated > 1 && sizes.includes(1),
    empty_rooms: isBalanced && seated > 0 && sizes.includes(0),
    pin_ignored: ignoredPins > 0,
    block_split: isSplit,
    apart_together: isTogether,
    manual_unplaced: strategy === "manual" && unplaced > 0,
    self_unplaced: strategy === "self" && unplaced > 0,
  }
  return (Object.keys(PLAN_NOTES) as ReadonlyArray<PlanNoteCode>).filter((code) => holds[code]).map(noteOf)
}

export const withNote = (notes: ReadonlyArray<PlanNote>, code: PlanNoteCode): ReadonlyArray<PlanNote> =>
  notes.some((note) => note.code === code) ? notes : [...notes, noteOf(code)]
