/** The pages below `/host`. */
import { Redirect, Route, Router, Switch } from "wouter"
import { AccountProvider, useAccount } from "./account/account-context.tsx"
import { ResetPage } from "./account/reset-page.tsx"
import { SignInPage } from "./account/sign-in-page.tsx"
import { SignUpPage } from "./account/sign-up-page.tsx"
import { SignedInPages } from "./signed-in-pages.tsx"

const Pages = () => {
  const { view } = useAccount()
  if (view !== undefined) return <SignedInPages view={view} />
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

export const ToStart = () => <Redirect to="/" replace />
