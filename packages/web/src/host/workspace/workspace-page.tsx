/** A workspace: its events, and the people and keys with access. */
import { useConsoleTexts } from "../../texts/language.tsx"
import { useAccount } from "../account/account-context.tsx"
import { PageTitle } from "../parts/page-title.tsx"
import { PartsPage } from "../parts/part-links.tsx"
import { AuditPart } from "./audit-part.tsx"
import { EventsPart } from "./events-part.tsx"
import { GuestsPart } from "./guests-part.tsx"
import { KeysPart } from "./keys-part.tsx"
import { MembersPart } from "./members-part.tsx"
import { SettingsPart } from "./settings-part.tsx"
import { WebhooksPart } from "./webhooks-part.tsx"

export interface WorkspaceProps {
  readonly workspaceId: string
  /** Whether the member is an owner or admin. */
  readonly mayManage: boolean
}

const EVENTS = "events"
const PARTS: { readonly [part: string]: React.ComponentType<WorkspaceProps> } = {
  [EVENTS]: EventsPart,
  members: MembersPart,
  keys: KeysPart,
  webhooks: WebhooksPart,
  guests: GuestsPart,
  audit: AuditPart,
  settings: SettingsPart,
}
/** Parts that a plain member may not read. */
const FOR_MANAGERS = ["keys", "audit", "settings"]

export const WorkspacePage = ({ workspaceId, tab }: { readonly workspaceId: string; readonly tab: string }) => {
  const { host } = useConsoleTexts()
  const { view } = useAccount()
  const workspace = view?.workspaces.find(({ id }) => id === workspaceId)
  if (workspace === undefined) return <PageTitle>{host.noWorkspace}</PageTitle>
  const mayManage = workspace.role !== "member"
  const parts = host.workspaceParts.filter(([part]) => mayManage || !FOR_MANAGERS.includes(part))
  const now = parts.some(([part]) => part === tab) ? tab : EVENTS
  const Part = PARTS[now] ?? EventsPart
  return (
    <>
      <PageTitle>{workspace.name}</PageTitle>
      <PartsPage label={host.workspace} base={`/workspace/${workspaceId}`} parts={parts} now={now}>
        <Part workspaceId={workspaceId} mayManage={mayManage} />
      </PartsPage>
    </>
  )
}
