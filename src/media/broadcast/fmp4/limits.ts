/** Limits on the bytes held for one encoder, and on the entries that are walked through. */

/** Limit of `ftyp` and `moov` together. */
export const LARGEST_INIT = 64 * 1024
/** Limit of `moof` alone: room for the largest runs of two tracks with all fields of a sample. */
export const LARGEST_MOOF = 704 * 1024
/** Limit of `moof` and `mdat` together. */
export const LARGEST_FRAGMENT = 8 * 1024 * 1024
/** Limit of a skipped box. ffmpeg ends a stream with an index of all fragments (`mfra`). */
export const LARGEST_SKIPPED = 32 * 1024 * 1024
export const LONGEST_FRAGMENT_S = 6
/** Limit of samples of one track in one fragment. A run may claim two thousand million samples in twenty bytes. */
export const MOST_SAMPLES = 20_000
