/** Members of the workspace, and invites to it. */
import { useLocation } from "wouter"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { useAccount } from "../account/account-context.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { Paged } from "../parts/paged.tsx"
import { InvitesPart } from "./invites-part.tsx"
import { MemberItem } from "./member-row.tsx"
import type { WorkspaceProps } from "./workspace-page.tsx"

const Leaving = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { reload } = useAccount()
  const [, navigate] = useLocation()
  const { run, isPending, error } = useAction(() =>
    rest.leaveWorkspace({ params: { id: workspaceId } }).then(() => true),
  )
  return (
    <div className="row">
      <ConfirmButton
        label={host.leaveWorkspace}
        question={host.leaveWorkspaceQuestion}
        isPending={isPending}
        error={error}
        words={{ conflict: host.onlyOwnerLeaves }}
        onConfirm={async () => {
          const isDone = (await run()) === true
          if (!isDone) return false
          reload()
          navigate("/workspaces")
          return true
        }}
      />
    </div>
  )
}

export const MembersPart = ({ workspaceId, mayManage }: WorkspaceProps) => {
  const { host } = useConsoleTexts()
  const pages = usePages(workspaceId, "members", (at) =>
    rest.listMembers({
      params: { id: workspaceId },
      query: at,
    }),
  )
  return (
    <>
      <h2>{host.members}</h2>
      <Paged pages={pages} empty={host.nobody}>
        {(members) => (
          <ul className="rows" aria-label={host.members}>
            {members.map((member) => (
              <MemberItem
                key={member.id}
                workspaceId={workspaceId}
                mayManage={mayManage}
                member={member}
                onChange={pages.reload}
              />
            ))}
          </ul>
        )}
      </Paged>
      {mayManage ? <InvitesPart workspaceId={workspaceId} /> : null}
      <Leaving workspaceId={workspaceId} />
    </>
  )
}
