/** The console of a signed-in person. */
import type { AccountView } from "@gathercue/client"
import { lazy, Suspense } from "react"
import { Redirect, Route, Switch } from "wouter"
import { useConsoleTexts } from "../texts/language.tsx"
import { AccountPage } from "./account/account-page.tsx"
import { ProofDialog } from "./account/proof-dialog.tsx"
import { ConsoleHeader } from "./console-header.tsx"
import { HostEventPage } from "./event/event-page.tsx"
import { ActsProvider } from "./palette/acts.tsx"
import { WorkspacePage } from "./workspace/workspace-page.tsx"
import { WorkspacesPage } from "./workspace/workspaces-page.tsx"

/** The gateway's client is loaded when an event is controlled. */
const LiveConsole = lazy(async () => ({ default: (await import("./live/live-console.tsx")).LiveConsole }))

const Start = ({ view }: { readonly view: AccountView }) => {
  const [only, ...others] = view.workspaces
  if (only === undefined || others.length > 0) return <WorkspacesPage />
  return <Redirect to={`/workspace/${only.id}`} replace />
}

export const SignedInPages = ({ view }: { readonly view: AccountView }) => {
  const texts = useConsoleTexts()
  return (
    <ActsProvider>
      <ConsoleHeader view={view} />
      <ProofDialog />
      <main className="page stack">
        <Switch>
          <Route path="/account">
            <AccountPage view={view} />
          </Route>
          <Route path="/workspaces">
            <WorkspacesPage />
          </Route>
          <Route path="/workspace/:id/:tab?">
            {({ id, tab }) => <WorkspacePage key={id} workspaceId={id} tab={tab ?? "events"} />}
          </Route>
          <Route path="/event/:id/:tab?">
            {({ id, tab }) => <HostEventPage key={id} eventId={id} tab={tab ?? "agenda"} />}
          </Route>
          <Route path="/live/:id/:tab?">
            {({ id, tab }) => (
              <Suspense fallback={<p role="status">{texts.loading}</p>}>
                <LiveConsole key={id} eventId={id} tab={tab ?? "people"} />
              </Suspense>
            )}
          </Route>
          <Route>
            <Start view={view} />
          </Route>
        </Switch>
      </main>
    </ActsProvider>
  )
}
