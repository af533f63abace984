/** Uploads in parts: all parts but the last have one size, which is derived from the announced size alone. */

/** Smaller files are uploaded as a whole. */
export const PARTS_ABOVE_BYTES = 64 * 1024 ** 2

const MEBIBYTE = 1024 ** 2
/** S3 requires parts of at least 5 MiB, and at most 10,000 of them. */
const SMALLEST_PART = 16 * MEBIBYTE
const MOST_PARTS = 10_000

export interface PartPlan {
  /** Size of each part but the last. */
  readonly sizeBytes: number
  readonly count: number
}

/** Null for a file that is uploaded as a whole, or whose size was not announced. */
export const partPlanOf = (sizeBytes: number | null): PartPlan | null => {
  if (sizeBytes === null || sizeBytes <= PARTS_ABOVE_BYTES) return null
  const even = Math.ceil(sizeBytes / MOST_PARTS / MEBIBYTE) * MEBIBYTE
  const part = Math.max(SMALLEST_PART, even)
  return { sizeBytes: part, count: Math.ceil(sizeBytes / part) }
}

/** A part of a file. Part numbers start at 1. */
export interface Part {
  readonly number: number
  /** Byte offset of the part in the file. */
  readonly position: number
  readonly sizeBytes: number
}

/** `undefined`: the file has no such part. */
export const partOf = (fileBytes: number, plan: PartPlan, number: number): Part | undefined => {
  if (!Number.isInteger(number) || number < 1 || number > plan.count) return undefined
  const position = (number - 1) * plan.sizeBytes
  return { number, position, sizeBytes: Math.min(plan.sizeBytes, fileBytes - position) }
}

export interface StoredPart {
  readonly number: number
  /** The ETag without quotation marks. */
  readonly etag: string
  readonly sizeBytes: number
}

/** Most runs of numbers named in a message. */
const MOST_RUNS = 20

/** Numbers in ascending order as text: `2, 5 to 9`. */
const inRuns = (numbers: ReadonlyArray<number>): string => {
  const runs: { first: number; last: number }[] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run?.last === number - 1) run.last = number
    else runs.push({ first: number, last: number })
  }
  const named = runs
    .slice(0, MOST_RUNS)
    .map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`))
  return runs.length > MOST_RUNS ? `${named.join(", ")} and others` : named.join(", ")
}

/** Why the stored parts do not make up the file, in a sentence; `undefined`: they do. */
export const faultOfParts = (
  fileBytes: number,
  plan: PartPlan,
  stored: ReadonlyArray<StoredPart>,
): string | undefined => {
  const sizes = new Map(stored.map(({ number, sizeBytes }) => [number, sizeBytes]))
  const parts = Array.from({ length: plan.count }, (_, index) => partOf(fileBytes, plan, index + 1)).filter(
    (part) => part !== undefined,
  )
  const missing = parts.filter(({ number }) => !sizes.has(number)).map(({ number }) => number)
  if (missing.length > 0) {
    return missing.length === 1 ? `Part ${missing[0]} is missing.` : `Parts ${inRuns(missing)} are missing.`
  }
  const wrong = parts.find(({ number, sizeBytes }) => sizes.get(number) !== sizeBytes)
  if (wrong !== undefined) {
    return `Part ${wrong.number} has ${sizes.get(wrong.number)} bytes, not ${wrong.sizeBytes}.`
  }
  const unknown = stored.find(({ number }) => number > plan.count)
  return unknown === undefined ? undefined : `The file has no part ${unknown.number}.`
}
