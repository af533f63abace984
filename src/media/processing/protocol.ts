/** Messages between the server and its media process. */

import type { CutFacts, MediaFacts, MediaFailure } from "../../model/media/recording.ts"
import type { ReadTranscript, TranscriptForm } from "../captions/read.ts"
import type { MediaSource } from "../storage/storage.ts"

/** Task of writing a part of a file to another file. Times are in milliseconds from the first picture or sound. */
export interface CutTask {
  readonly kind: "cut"
  readonly source: MediaSource
  readonly output: string
  readonly startMs: number
  readonly endMs: number
  /** Whether nothing outside the range is kept. */
  readonly inside: boolean
  /** Size limit of the other file. A larger clip is refused as `too_large`. */
  readonly mostBytes: number
}

export interface InspectTask {
  readonly kind: "inspect"
  readonly source: MediaSource
  /** Whether to compute the hash, for which all bytes are read. */
  readonly wantsSha256: boolean
}

/** Task of reading a transcript that would block the server's event loop for long. */
export interface ReadTask {
  readonly kind: "read"
  readonly form: TranscriptForm
  readonly body: Uint8Array
  /** Cues that cannot be read are left out. */
  readonly lenient: boolean
}

export type MediaWork = InspectTask | CutTask | ReadTask

export type MediaTask = MediaWork & { readonly id: number }

type Refused = { readonly outcome: "refused"; readonly failure: MediaFailure }

export type MediaInspection =
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
  | { readonly id: number; readonly result: MediaInspection | Cutting | ReadTranscript }
  /** The task could not be done through a fault of ours, such as a missing file. `isAway` means that the storage did not answer. */
  | { readonly id: number; readonly fault: string; readonly isAway: boolean }
  /** Message of the library, for the log. */
  | { readonly said: string }
