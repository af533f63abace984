/** Is the authority's directory there? The library does not say why it is not. */
const WITHIN_MS = 5000

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A sentence; undefined: it answers, and is one. */
export const directoryProblem = async (url: string): Promise<string | undefined> => {
  const abort = new AbortController()
  const late = setTimeout(() => abort.abort(new Error("no answer in time")), WITHIN_MS)
  try {
    const answer = await fetch(url, { signal: abort.signal })
    const { newOrder } = ((await answer.json().catch(() => null)) ?? {}) as { readonly newOrder?: unknown }
    return typeof newOrder === "string" ? undefined : "ACME_DIRECTORY is no directory of an ACME authority."
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    return `ACME_DIRECTORY is not reached (${messageOf(inner)}).`
  } finally {
    clearTimeout(late)
  }
}
