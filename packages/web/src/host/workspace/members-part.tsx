/** The members of the workspace, and invites to it. */
import type { Member } from "@gathercue/client"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { Choice } from "../../ui/choice.tsx"
import { useAccount } from "../account/account-context.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { Failure } from "../parts/failure.tsx"
import { Paged } from "../parts/paged.tsx"
import { usePages } from "../parts/use-pages.ts"
import { InvitesPart } from "./invites-part.tsx"
import type { WorkspaceProps } from "./workspace-page.tsx"

const CHANGEABLE = ["member", "admin"] as const

const MemberRow = ({
  workspaceId,
  mayManage,
  member,
  onChange,
}: WorkspaceProps & { readonly member: Member; readonly onChange: () => void }) => {
  const { host } = useTexts()
  const params = { id: workspaceId, memberId: member.id }
  const role = useAction((given: (typeof CHANGEABLE)[number]) => rest.patchMember({ params, payload: { role: given } }))
  const removal = useAction(() => rest.removeMember({ params }).then(() => true))
  const isFixed = !mayManage || member.role === "owner"
  return (
    <li className="row row-apart">
      <span>
        {member.name} <span className="quiet">{member.email}</span>
      </span>
      {isFixed ? (
        <span className="badge">{host.workspaceRoles[member.role]}</span>
      ) : (
        <span className="row">
          <Choice
            label={`${host.role}: ${member.name}`}
            options={CHANGEABLE.map((one) => [one, host.workspaceRoles[one]] as const)}
            value={member.role === "admin" ? "admin" : "member"}
            onChange={(given) => void role.run(given).then(onChange)}
          />
          <ConfirmButton
            label={host.removeMember}
            name={member.name}
            question={host.removeMemberQuestion(member.name)}
            isPending={removal.isPending}
            error={removal.error}
            onConfirm={async () => {
              const isDone = (await removal.run()) === true
              if (isDone) onChange()
              return isDone
            }}
          />
        </span>
      )}
      <Failure error={role.error} />
    </li>
  )
}

export const MembersPart = ({ workspaceId, mayManage }: WorkspaceProps) => {
  const { host } = useTexts()
  const { reload: reloadAccount } = useAccount()
  const pages = usePages(workspaceId, async (cursor) => {
    const { members, nextCursor } = await rest.listMembers({
      params: { id: workspaceId },
      query: cursor === undefined ? {} : { cursor },
    })
    return { items: members, nextCursor }
  })
  const leaving = useAction(() => rest.leaveWorkspace({ params: { id: workspaceId } }).then(() => true))
  return (
    <>
      <h2>{host.members}</h2>
      <Paged pages={pages} empty={host.nobody}>
        {(members) => (
          <ul className="rows" aria-label={host.members}>
            {members.map((member) => (
              <MemberRow
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
      <div className="row">
        <ConfirmButton
          label={host.leaveWorkspace}
          question={host.leaveWorkspaceQuestion}
          isPending={leaving.isPending}
          error={leaving.error}
          onConfirm={async () => {
            const isDone = (await leaving.run()) === true
            if (isDone) reloadAccount()
            return isDone
          }}
        />
      </div>
    </>
  )
}
