/** A member of the workspace, and changes of their role. */
import type { Member } from "@gathercue/client"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Choice } from "../../ui/choice.tsx"
import { useAccount } from "../account/account-context.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import type { WorkspaceProps } from "./workspace-page.tsx"

const CHANGEABLE = ["member", "admin"] as const

type Props = WorkspaceProps & { readonly member: Member; readonly onChange: () => void }

const NewOwner = ({ workspaceId, member, onChange }: Props) => {
  const { host } = useConsoleTexts()
  const { run, isPending, error } = useAction(() =>
    rest.makeOwner({ params: { id: workspaceId }, payload: { memberId: member.id } }),
  )
  return (
    <ConfirmButton
      label={host.makeOwner}
      name={member.name}
      question={host.makeOwnerQuestion(member.name)}
      isPending={isPending}
      error={error}
      onConfirm={async () => {
        const isDone = (await run()) !== undefined
        if (isDone) onChange()
        return isDone
      }}
    />
  )
}

const Changes = (props: Props) => {
  const { workspaceId, member, onChange } = props
  const { host, labelled } = useConsoleTexts()
  const { view } = useAccount()
  const params = { id: workspaceId, memberId: member.id }
  const role = useAction((given: (typeof CHANGEABLE)[number]) => rest.patchMember({ params, payload: { role: given } }))
  const removal = useAction(() => rest.removeMember({ params }).then(() => true))
  const isOwner = view?.workspaces.find(({ id }) => id === workspaceId)?.role === "owner"
  const words = { forbidden: host.ownersStay }
  return (
    <>
      <span className="row">
        <Choice
          label={labelled(host.role, member.name)}
          options={CHANGEABLE.map((one) => [one, host.workspaceRoles[one]] as const)}
          value={member.role === "admin" ? "admin" : "member"}
          onChange={(given) => void role.run(given).then(onChange)}
        />
        {isOwner ? <NewOwner {...props} /> : null}
        <ConfirmButton
          label={host.removeMember}
          name={member.name}
          question={host.removeMemberQuestion(member.name)}
          isPending={removal.isPending}
          error={removal.error}
          words={words}
          onConfirm={removal.run}
          onDone={onChange}
        />
      </span>
      <FailureNotice error={role.error} words={words} />
    </>
  )
}

export const MemberItem = (props: Props) => {
  const { mayManage, member } = props
  const { host } = useConsoleTexts()
  const { view } = useAccount()
  const isMe = member.accountId === view?.account.id
  return (
    <li className="row row-apart">
      <span>
        {member.name} <span className="quiet">{isMe ? `${member.email}, ${host.you}` : member.email}</span>
      </span>
      {!mayManage || isMe || member.role === "owner" ? (
        <span className="badge">{host.workspaceRoles[member.role]}</span>
      ) : (
        <Changes {...props} />
      )}
    </li>
  )
}
