/** Limits of one task of the media process. */

const INSPECT_WITHIN_MS = 120_000
const INSPECT_MARGIN_MS = 30_000
/**
 * Time limit of a small file, so that one made to be read without end does not delay those behind it. Ten megabytes a second is a slow
 * disk.
 */
const SMALL_FILE_WITHIN_MS = 15_000
const INSPECTED_BYTES_PER_MS = 10_000

/** Time limit of one task, by the size of the file; `null` for an unknown size. */
const withinMs = (sizeBytes: number | null): number =>
  sizeBytes === null
    ? INSPECT_WITHIN_MS
    : Math.min(INSPECT_WITHIN_MS, SMALL_FILE_WITHIN_MS + sizeBytes / INSPECTED_BYTES_PER_MS)

export const TASK_LIMITS = { withinMs, maxResidentBytes: 1024 ** 3 }

/** Lease of a media job, longer than any task. */
export const JOB_LEASE_MS = INSPECT_WITHIN_MS + INSPECT_MARGIN_MS
