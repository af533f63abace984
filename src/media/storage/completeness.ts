/** Whether the bytes of an upload are those that its client announced and claims to have sent. */
import { faultOfParts, partPlanOf, type StoredPart } from "../../model/media/upload-parts.ts"
import type { Arrived } from "./storage.ts"

/** Claims of a client that completes an upload. */
export interface Claims {
  readonly sizeBytes?: number
  readonly parts?: ReadonlyArray<{ readonly number: number; readonly etag: string }>
}

export const NOTHING_CAME = "No bytes were uploaded."

const withoutQuotes = (etag: string): string => etag.replace(/^"|"$/g, "")

/** Reason why the client's parts differ from the stored ones. */
const claimFault = (claimed: Claims["parts"], stored: ReadonlyArray<StoredPart>): string | undefined => {
  const etags = new Map(stored.map(({ number, etag }) => [number, etag]))
  const other = claimed?.find(({ number, etag }) => etags.has(number) && etags.get(number) !== withoutQuotes(etag))
  return other === undefined ? undefined : `Part ${other.number} is stored with another etag.`
}

/** Reason why the parts do not make up the file. A storage that receives bytes directly has the whole as its only part. */
const partsFault = (parts: ReadonlyArray<StoredPart>, announced: number | null, claims: Claims): string | undefined => {
  const claim = claimFault(claims.parts, parts)
  const plan = partPlanOf(announced)
  if (claim !== undefined || plan === null || announced === null) return claim
  const [first, ...others] = parts
  const isWhole = others.length === 0 && first?.number === 1 && first.sizeBytes === announced
  return isWhole ? undefined : faultOfParts(announced, plan, parts)
}

export const sizeOfArrived = (arrived: Arrived): number => {
  if (arrived.kind === "nothing") return 0
  return arrived.kind === "parts" ? arrived.parts.reduce((sum, part) => sum + part.sizeBytes, 0) : arrived.sizeBytes
}

/** Reason why the upload is incomplete. */
export const faultOfUpload = (arrived: Arrived, announced: number | null, claims: Claims): string | undefined => {
  const size = sizeOfArrived(arrived)
  if (size === 0) return NOTHING_CAME
  const fault = arrived.kind === "parts" ? partsFault(arrived.parts, announced, claims) : undefined
  if (fault !== undefined) return fault
  const said = claims.sizeBytes ?? announced ?? size
  return size === said ? undefined : `${size} bytes were uploaded, not ${said}.`
}
