/** Is the authority's directory there? The library does not say why it is not. */
import { fetchFailure, fetchWithin } from "../egress/fetch-within.ts"

const WITHIN_MS = 5000

/** A sentence; undefined: the address answers, and is a directory. */
export const directoryProblem = async (url: string): Promise<string | undefined> => {
  try {
    const body: unknown = await fetchWithin(WITHIN_MS, url, {}, (answer) => answer.json().catch(() => null))
    const { newOrder } = (body ?? {}) as { readonly newOrder?: unknown }
    return typeof newOrder === "string" ? undefined : "ACME_DIRECTORY is no directory of an ACME authority."
  } catch (cause) {
    return `ACME_DIRECTORY is not reached (${fetchFailure(cause)}).`
  }
}
