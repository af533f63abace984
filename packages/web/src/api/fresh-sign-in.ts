/** Requests that the server refuses until the person proves their identity again: the page asks, and repeats the request. */

/** Resolves to whether the person gave the proof. */
type Ask = () => Promise<boolean>

let ask: Ask | undefined

/** Set while there is a page that can ask. */
export const askBy = (given: Ask | undefined): void => {
  ask = given
}

const isRefused = async (response: Response): Promise<boolean> => {
  if (response.status !== 403) return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return (body as { readonly code?: unknown } | null)?.code === "fresh_sign_in_required"
}

/** `fetch` for bodies that can be sent twice. */
export const sendProved: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (ask === undefined || !(await isRefused(response)) || !(await ask())) return response
  return fetch(input, init)
}
