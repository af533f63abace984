/** Messages between the server and its process for media. */
import type { CutFacts, MediaFacts, MediaFailure } from "../../model/media/recording.ts"

/** A part of a file, written to another one. Times are in milliseconds from the first picture or sound. */
export interface CutTask {
  readonly kind: "cut"
  readonly path: string
  readonly output: string
  readonly startMs: number
  readonly endMs: number
  /** Nothing from outside of the range is kept. */
  readonly inside: boolean
}

export type MediaWork = { readonly kind: "inspect"; readonly path: string } | CutTask

export type MediaTask = MediaWork & { readonly id: number }

interface Measured {
  readonly sizeBytes: number
  readonly sha256: string
}

type Refused = { readonly outcome: "refused"; readonly failure: MediaFailure }

/** The findings of an inspection. */
export type Inspection = ({ readonly outcome: "readable"; readonly facts: MediaFacts } & Measured) | Refused
export type Cutting = ({ readonly outcome: "cut"; readonly facts: CutFacts } & Measured) | Refused

export type MediaAnswer =
  | { readonly id: number; readonly result: Inspection | Cutting }
  /** The task could not be done through a fault of ours, such as a file that is not there. */
  | { readonly id: number; readonly fault: string }
  /** For the log: the library's own words. */
  | { readonly said: string }
