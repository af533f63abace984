/** Header of every page of the console: links to the workspaces and the account. */
import type { AccountView } from "@gathercue/client"
import { useAction } from "../api/use-action.ts"
import { useConsoleTexts } from "../texts/language.tsx"
import { Brand } from "../ui/brand.tsx"
import { Button } from "../ui/button.tsx"
import { LanguageChoice } from "../ui/language-choice.tsx"
import { useAccount } from "./account/account-context.tsx"
import { VerifyNotice } from "./account/verify-notice.tsx"
import { CommandPalette } from "./palette/command-palette.tsx"
import { FailureNotice } from "./parts/failure.tsx"
import { PageLink } from "./parts/page-link.tsx"

export const ConsoleHeader = ({ view }: { readonly view: AccountView }) => {
  const { host } = useConsoleTexts()
  const { signOut } = useAccount()
  const { run, isPending, error } = useAction(signOut)
  return (
    <header className="console-header">
      <nav className="page row row-apart" aria-label={host.console}>
        <div className="row">
          <Brand />
          <PageLink to="/workspaces">{host.workspaces}</PageLink>
        </div>
        <div className="row">
          <CommandPalette view={view} />
          <PageLink to="/account">{view.account.name}</PageLink>
          <LanguageChoice />
          <Button look="quiet" isPending={isPending} onPress={() => void run()}>
            {host.signOut}
          </Button>
        </div>
      </nav>
      <div className="page console-notices">
        <FailureNotice error={error} />
        {view.account.emailVerified ? null : <VerifyNotice view={view} />}
      </div>
    </header>
  )
}
