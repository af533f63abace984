/**
 * Sign-in through an identity provider. It returns the browser to the start page, which continues to the console page that the person came
 * from. The note of that page belongs to this tab, and is used once.
 */
import { SERVER } from "./rest.ts"

const KEY = "gathercue.signingIn"

/** Leaves this page for a provider. `path` is where the server begins the sign-in. */
export const beginSignInAt = (path: string): void => {
  sessionStorage.setItem(KEY, location.pathname)
  location.assign(`${SERVER}${path}`)
}

/** `isFresh` asks the person to sign in again. */
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

/** Address to continue to from the start page after a sign-in. */
export const afterProviderSignIn = (): string | undefined => {
  const from = location.pathname === "/" ? takeNote() : null
  return from === null ? undefined : `${from}${location.search}${location.hash}`
}
