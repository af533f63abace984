/** A stretch of a broadcast, as it is cut and as it is stored. */
export interface BroadcastSegment {
  /** From 0, without gaps over all takes. */
  readonly number: number
  readonly take: number
  /** In the file of its take. */
  readonly offset: number
  /** In a row, 0: it is not stored. */
  readonly bytes: number
  /** Milliseconds of the broadcast, which begins at 0 and has no gaps. */
  readonly startMs: number
  readonly durationMs: number
  /** The encoder began anew here, or jumped. */
  readonly isDiscontinuous: boolean
  /** Unix milliseconds at which its first moment came, as far as the server knows. */
  readonly at: number
}
