/** Limits of one task of the process that inspects media. */

const INSPECT_WITHIN_MS = 120_000
const INSPECT_MARGIN_MS = 30_000
/** A small file that is made to be read without end must not hold up those behind it. Ten megabytes a second is a slow disk. */
const SMALL_FILE_WITHIN_MS = 15_000
const INSPECTED_BYTES_PER_MS = 10_000

/** Time of one task, by the size of the file; `null`: the size is not known. */
const withinMs = (sizeBytes: number | null): number =>
  sizeBytes === null
    ? INSPECT_WITHIN_MS
    : Math.min(INSPECT_WITHIN_MS, SMALL_FILE_WITHIN_MS + sizeBytes / INSPECTED_BYTES_PER_MS)

export const TASK_LIMITS = { withinMs, maxResidentBytes: 1024 ** 3 }

/** Lease of a media job: no task lasts longer. */
export const JOB_LEASE_MS = INSPECT_WITHIN_MS + INSPECT_MARGIN_MS
