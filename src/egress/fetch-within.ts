/** A request of the operator's own tools to an address of the configuration, with a limit of time. */
const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The reason why `fetch` failed, which it wraps in an error of its own. */
export const fetchFailure = (cause: unknown): string =>
  messageOf(cause instanceof Error && cause.cause !== undefined ? cause.cause : cause)

/** `read` takes what it wants of the answer within the same time. */
export const fetchWithin = async <A>(
  ms: number,
  url: string,
  init: RequestInit,
  read: (answer: Response) => Promise<A>,
): Promise<A> => {
  const abort = new AbortController()
  // The timer of `AbortSignal.timeout` keeps no process waiting.
  const late = setTimeout(() => abort.abort(new Error("no answer in time")), ms)
  try {
    return await read(await fetch(url, { ...init, signal: abort.signal }))
  } finally {
    clearTimeout(late)
  }
}
