/** Messages between the server and its process for media. */

import type { CutFacts, MediaFacts, MediaFailure } from "../../model/media/recording.ts"
import type { ReadTranscript, TranscriptForm } from "../captions/read.ts"
import type { MediaSource } from "../storage/storage.ts"

/** A part of a file, written to another one. Times are in milliseconds from the first picture or sound. */
export interface CutTask {
  readonly kind: "cut"
  readonly source: MediaSource
  readonly output: string
  readonly startMs: number
  readonly endMs: number
  /** Nothing from outside of the range is kept. */
  readonly inside: boolean
  /** Of the other file. A clip that would have more is refused as `too_large`. */
  readonly mostBytes: number
}

export interface InspectTask {
  readonly kind: "inspect"
  readonly source: MediaSource
  /** All bytes are read for it. */
  readonly wantsSha256: boolean
}

/** A transcript that would take the server's event loop long. */
export interface ReadTask {
  readonly kind: "read"
  readonly form: TranscriptForm
  readonly body: Uint8Array
}

export type MediaWork = InspectTask | CutTask | ReadTask

export type MediaTask = MediaWork & { readonly id: number }

type Refused = { readonly outcome: "refused"; readonly failure: MediaFailure }

/** The findings of an inspection. */
export type Inspection =
  | { readonly outcome: "readable"; readonly facts: MediaFacts; readonly sha256: string | null }
  | Refused
export type Cutting =
  | {
      readonly outcome: "cut"
      readonly facts: CutFacts
      readonly sizeBytes: number
      readonly sha256: string
    }
  | Refused

export type MediaAnswer =
  | { readonly id: number; readonly result: Inspection | Cutting | ReadTranscript }
  /** The task could not be done through a fault of ours, such as a file that is not there. `isAway`: the storage did not answer. */
  | { readonly id: number; readonly fault: string; readonly isAway: boolean }
  /** For the log: the library's own words. */
  | { readonly said: string }
