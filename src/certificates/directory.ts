/** Checks the authority's directory, because the library does not say why it is unavailable. */
import { fetchFailure, fetchWithin } from "../egress/fetch-within.ts"

const WITHIN_MS = 5000

/** Resolves to a sentence about the problem; undefined when the address answers with a directory. */
export const directoryProblem = async (url: string): Promise<string | undefined> => {
  try {
    const body: unknown = await fetchWithin(WITHIN_MS, url, {}, (answer) => answer.json().catch(() => null))
    const { newOrder } = (body ?? {}) as { readonly newOrder?: unknown }
    return typeof newOrder === "string" ? undefined : "ACME_DIRECTORY is no directory of an ACME authority."
  } catch (cause) {
    return `ACME_DIRECTORY is not reached (${fetchFailure(cause)}).`
  }
}
