/** Account signed in by this server's cookie. */
import { type AccountView, RestProblem } from "@gathercue/client"
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from "react"
import { rest } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"

/**
 * Set while somebody is signed in. Scripts cannot see the cookie, and without this note every visit of a signed-out person would begin with
 * a refused request.
 */
const KEY = "gathercue.account"

interface Account {
  /** Undefined when nobody is signed in. */
  readonly view: AccountView | undefined
  readonly enter: (view: AccountView) => void
  readonly reload: () => void
  readonly signOut: () => Promise<void>
  /** Called when the server says that the session is over. */
  readonly expire: () => void
}

const Account = createContext<Account | undefined>(undefined)

export const useAccount = (): Account => {
  const account = useContext(Account)
  if (account === undefined) throw new Error("a component is outside of AccountProvider")
  return account
}

/** Called before a sign-in that ends at the server, such as one through a provider: the next visit of the console requests the account. */
export const expectSignIn = (): void => localStorage.setItem(KEY, "expected")

const isSignedOut = (failure: unknown): boolean => failure instanceof RestProblem && failure.status === 401

const hasNote = (): boolean => localStorage.getItem(KEY) !== null

const readAccount = async (): Promise<AccountView | null> => {
  if (!hasNote()) return null
  try {
    return await rest.me()
  } catch (failure) {
    if (!isSignedOut(failure)) throw failure
    localStorage.removeItem(KEY)
    return null
  }
}

export const AccountProvider = ({ children }: { readonly children: React.ReactNode }) => {
  const texts = useConsoleTexts()
  // Without the note nobody is signed in, and the sign-in page is rendered first.
  const { value, error, reload, replace } = useLoaded("me", readAccount, () => (hasNote() ? undefined : null))
  const [signedUp, rememberSignup] = useState<AccountView | null>(null)
  const enter = useCallback(
    (view: AccountView) => {
      localStorage.setItem(KEY, view.account.id)
      // In development only the answer of a sign-up has the link of the email.
      rememberSignup(view)
      replace(view)
    },
    [replace],
  )
  const expire = useCallback(() => {
    localStorage.removeItem(KEY)
    rememberSignup(null)
    replace(null)
  }, [replace])
  const signOut = useCallback(async () => {
    await rest.logout().catch((failure: unknown) => {
      if (!isSignedOut(failure)) throw failure
    })
    expire()
  }, [expire])
  useEffect(() => {
    // The account signed in or out in another tab.
    const follow = ({ key }: StorageEvent) => {
      if (key === KEY) reload()
    }
    addEventListener("storage", follow)
    return () => removeEventListener("storage", follow)
  }, [reload])
  const verifyUrl = signedUp?.account.id === value?.account.id ? signedUp?.verifyUrl : undefined
  const account = useMemo(
    (): Account => ({
      view:
        value === null || value === undefined
          ? undefined
          : { ...value, ...(verifyUrl === undefined ? {} : { verifyUrl }) },
      enter,
      reload,
      signOut,
      expire,
    }),
    [value, verifyUrl, enter, reload, signOut, expire],
  )
  if (value === undefined) {
    return (
      <main className="page page-narrow">
        {error === null ? <p role="status">{texts.loading}</p> : <Button onPress={reload}>{texts.retry}</Button>}
        <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      </main>
    )
  }
  return <Account value={account}>{children}</Account>
}
