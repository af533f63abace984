/** The account: its password, its sessions, its stored data, and its deletion. */
import type { AccountView } from "@gathercue/client"
import { useConsoleTexts } from "../../texts/language.tsx"
import { PageTitle } from "../parts/page-title.tsx"
import { AccountDeletion } from "./account-deletion.tsx"
import { AccountExport } from "./account-export.tsx"
import { PasswordForm } from "./password-form.tsx"
import { SecondFactorPart } from "./second-factor-part.tsx"
import { SessionsPart } from "./sessions-part.tsx"
import { useSessions } from "./use-sessions.ts"

export const AccountPage = ({ view }: { readonly view: AccountView }) => {
  const { host } = useConsoleTexts()
  const sessions = useSessions()
  return (
    <>
      <PageTitle>{host.account.title}</PageTitle>
      <p>
        {view.account.name} <span className="quiet">{view.account.email}</span>
      </p>
      <PasswordForm email={view.account.email} onChange={sessions.reload} />
      <SecondFactorPart />
      <SessionsPart sessions={sessions} />
      <AccountExport />
      <AccountDeletion workspaces={view.workspaces} />
    </>
  )
}
