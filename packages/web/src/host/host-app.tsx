/** Pages under `/host`. */
import { lazy, Suspense } from "react"
import { Route, Router, Switch } from "wouter"
import { useConsoleTexts } from "../texts/language.tsx"
import { AccountProvider, useAccount } from "./account/account-context.tsx"
import { ResetPage } from "./account/reset-page.tsx"
import { SignInPage } from "./account/sign-in-page.tsx"
import { SignUpPage } from "./account/sign-up-page.tsx"

const loadConsole = () => import("./signed-in-pages.tsx")
const SignedInPages = lazy(async () => ({ default: (await loadConsole()).SignedInPages }))
// Preloaded during sign-in, which does not need it. Without a network it is loaded again when it is shown.
loadConsole().catch(() => {})

const Pages = () => {
  const { view } = useAccount()
  const { loading } = useConsoleTexts()
  if (view !== undefined) {
    return (
      <Suspense fallback={<p role="status">{loading}</p>}>
        <SignedInPages view={view} />
      </Suspense>
    )
  }
  return (
    <Switch>
      <Route path="/sign-up">
        <SignUpPage />
      </Route>
      <Route path="/reset">
        <ResetPage />
      </Route>
      <Route>
        <SignInPage />
      </Route>
    </Switch>
  )
}

export const HostApp = () => (
  <Router base="/host">
    <AccountProvider>
      <Pages />
    </AccountProvider>
  </Router>
)
