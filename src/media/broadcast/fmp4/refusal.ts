/** Why bytes of an encoder are not taken. The sentence is for the people who set the encoder up. */

export type EncoderRefusalCode =
  /** Something else than fragmented MP4, or a variety of it that cannot be cut and joined. */
  | "not_fmp4"
  /** Fragments before the part that describes them. */
  | "no_init"
  | "codec"
  | "tracks"
  | "too_large"
  | "too_long"
  | "no_sync_sample"
  /** Times that jump again and again. */
  | "clock"
  | "damaged"
  /** More than the most that an encoder may send in a while. */
  | "too_fast"

export class EncoderRefused extends Error {
  override readonly name = "EncoderRefused"
  readonly code: EncoderRefusalCode

  constructor(code: EncoderRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
