/** Reason why an encoder's bytes are refused. The sentence is for the people who set up the encoder. */

export type EncoderRefusalCode =
  /** Anything other than fragmented MP4, or a variety of it that cannot be cut and joined. */
  | "not_fmp4"
  /** Fragments before their init segment. */
  | "no_init"
  | "codec"
  | "tracks"
  | "too_large"
  | "too_long"
  | "no_sync_sample"
  /** Times that jump repeatedly, or picture and sound that are far apart. */
  | "clock"
  | "damaged"
  /** More bytes than an encoder may send in a period. */
  | "too_fast"

export class EncoderRefused extends Error {
  override readonly name = "EncoderRefused"
  readonly code: EncoderRefusalCode

  constructor(code: EncoderRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
