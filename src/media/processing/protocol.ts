/** Messages between the server and its process for media. */
import type { MediaFacts, MediaFailure } from "../../model/media/recording.ts"

export interface MediaTask {
  readonly id: number
  readonly kind: "inspect"
  readonly path: string
}

/** What an inspection found. */
export type Inspection =
  | { readonly outcome: "readable"; readonly facts: MediaFacts; readonly sizeBytes: number; readonly sha256: string }
  | { readonly outcome: "refused"; readonly failure: MediaFailure }

export type MediaAnswer =
  | { readonly id: number; readonly inspection: Inspection }
  /** The task could not be done through a fault of ours, such as a file that is not there. */
  | { readonly id: number; readonly fault: string }
  /** For the log: the library's own words. */
  | { readonly said: string }
