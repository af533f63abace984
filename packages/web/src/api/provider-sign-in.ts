/**
 * Sign-in through an identity provider. It sends the browser back to the start page, which goes on to the page of the console that
 * the person came from. The note of that page is of this tab, and used once.
 */
import { SERVER } from "./rest.ts"

const KEY = "gathercue.signingIn"

/** Leaves this page for a provider. `path`: where the server begins it. */
export const beginSignInAt = (path: string): void => {
  sessionStorage.setItem(KEY, location.pathname)
  location.assign(`${SERVER}${path}`)
}

/** `isFresh`: the person is to sign in anew. */
export const beginProviderSignIn = (isFresh = false): void =>
  beginSignInAt(`/v1/auth/idp/start${isFresh ? "?fresh=true" : ""}`)

const takeNote = (): string | null => {
  try {
    const from = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    return from
  } catch {
    // In a frame of another site a browser may refuse the storage.
    return null
  }
}

/** On the start page: the address to go on to, where a sign-in has come back. */
export const afterProviderSignIn = (): string | undefined => {
  const from = location.pathname === "/" ? takeNote() : null
  return from === null ? undefined : `${from}${location.search}${location.hash}`
}
