/** A segment of a broadcast, as cut and as stored. */
export interface BroadcastSegment {
  /** Segment index, starting at 0, without gaps over all takes. */
  readonly number: number
  readonly take: number
  /** Byte offset in the file of its take. */
  readonly offset: number
  /** Size of the segment; in a row of the database 0 means that it is not stored. */
  readonly bytes: number
  /** Milliseconds of the broadcast, which begins at 0 and has no gaps. */
  readonly startMs: number
  readonly durationMs: number
  /** The encoder restarted or jumped here. */
  readonly isDiscontinuous: boolean
  /** Unix milliseconds at which the first moment of the segment arrived, as far as the server knows. */
  readonly at: number
}
