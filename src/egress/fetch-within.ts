/** A request of the operator's own tools to a configured address, with a time limit. */
const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Reason why `fetch` failed, which it wraps in an error of its own. */
export const fetchFailure = (cause: unknown): string =>
  messageOf(cause instanceof Error && cause.cause !== undefined ? cause.cause : cause)

/** `read` consumes the answer within the same time limit. */
export const fetchWithin = async <A>(
  ms: number,
  url: string,
  init: RequestInit,
  read: (answer: Response) => Promise<A>,
): Promise<A> => {
  const abort = new AbortController()
  // A plain timer, because that of `AbortSignal.timeout` does not keep the process alive.
  const late = setTimeout(() => abort.abort(new Error("no answer in time")), ms)
  try {
    return await read(await fetch(url, { ...init, signal: abort.signal }))
  } finally {
    clearTimeout(late)
  }
}
