/** Invites to a workspace or to one of its events: by email, or as a link for anyone who gets it. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { Notice } from "../../ui/notice.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { Paged } from "../parts/paged.tsx"

interface Props {
  readonly workspaceId: string
  /** Event of the invites; without it they are to the workspace. */
  readonly eventId?: string
}

const EVENT_ROLES = ["participant", "speaker", "host", "viewer"] as const
const WORKSPACE_ROLES = ["member", "admin"] as const

const useRoles = (isEvent: boolean): ReadonlyArray<readonly [string, string]> => {
  const { host } = useConsoleTexts()
  return isEvent
    ? EVENT_ROLES.map((role) => [role, host.roles[role]] as const)
    : WORKSPACE_ROLES.map((role) => [role, host.workspaceRoles[role]] as const)
}

interface Issued {
  readonly email: string | null
  readonly inviteUrl?: string
  readonly mailed?: false
}

const IssuedInvite = ({ invite }: { readonly invite: Issued }) => {
  const { host } = useConsoleTexts()
  const isOut = invite.email !== null && invite.mailed !== false
  return (
    <>
      <Notice>{isOut ? host.inviteMailed(invite.email ?? "") : host.inviteLinkOnce}</Notice>
      {invite.inviteUrl === undefined ? null : <CopyField label={host.inviteLink} value={invite.inviteUrl} />}
    </>
  )
}

const INVITE_FIELDS = ["email"] as const

const InviteForm = ({ workspaceId, eventId, onInvite }: Props & { readonly onInvite: (issued: Issued) => void }) => {
  const { host } = useConsoleTexts()
  const roles = useRoles(eventId !== undefined)
  const [email, write] = useState("")
  const [role, choose] = useState(roles[0]?.[0] ?? "member")
  const { run, isPending, error } = useAction(() =>
    rest.createInvite({
      params: { id: workspaceId },
      payload: {
        role,
        ...(email.trim() === "" ? {} : { email: email.trim() }),
        ...(eventId === undefined ? { kind: "workspace" as const } : { kind: "event" as const, eventId }),
      },
    }),
  )
  const { errors, left } = useFieldFaults(error, INVITE_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const issued = await run()
    if (issued === undefined) return
    write("")
    onInvite(issued)
  }
  return (
    <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <div className="split">
        <TextField
          name="email"
          label={host.email}
          hint={host.inviteHint}
          type="email"
          value={email}
          onChange={write}
          autoComplete="off"
        />
        <Choice label={host.role} options={roles} value={role} onChange={choose} />
      </div>
      <FailureNotice error={left} />
      <div className="row">
        <Button type="submit" isPending={isPending}>
          {host.invite}
        </Button>
      </div>
    </FieldForm>
  )
}

export const InvitesPart = ({ workspaceId, eventId }: Props) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const roles = new Map(useRoles(eventId !== undefined))
  const [issued, show] = useState<Issued | undefined>(undefined)
  const pages = usePages(`${workspaceId} ${eventId ?? ""}`, "invites", async (at) => {
    const { invites, nextCursor } = await rest.listInvites({ params: { id: workspaceId }, query: at })
    return { invites: invites.filter((invite) => invite.eventId === (eventId ?? null)), nextCursor }
  })
  const { run, error } = useAction(async (act: () => Promise<Issued | undefined>) => {
    show(await act())
    pages.reload()
  })
  return (
    <section className="panel stack" aria-label={host.invites}>
      <h2>{host.invites}</h2>
      <InviteForm
        workspaceId={workspaceId}
        {...(eventId === undefined ? {} : { eventId })}
        onInvite={(made) => {
          show(made)
          pages.reload()
        }}
      />
      {issued === undefined ? null : <IssuedInvite invite={issued} />}
      <FailureNotice error={error} />
      <Paged pages={pages} empty={host.noInvites}>
        {(invites) => (
          <ul className="rows" aria-label={host.invites}>
            {invites.map((invite) => {
              const { id, email, role, status, expiresAt } = invite
              const params = { id: workspaceId, inviteId: id }
              const whom = email ?? host.anyone
              return (
                <li key={id} className="row row-apart">
                  <span>
                    {whom}{" "}
                    <span className="quiet">
                      {roles.get(role) ?? role}, {host.inviteStatus[status]}
                      {status === "pending" ? `, ${host.until(moment(expiresAt))}` : ""}
                    </span>
                  </span>
                  {status === "pending" ? (
                    <span className="row">
                      <Button
                        aria-label={`${host.sendAgain}: ${whom}`}
                        onPress={() => void run(() => rest.resendInvite({ params }))}
                      >
                        {host.sendAgain}
                      </Button>
                      <Button
                        aria-label={`${host.revoke}: ${whom}`}
                        onPress={() => void run(() => rest.revokeInvite({ params }).then(() => undefined))}
                      >
                        {host.revoke}
                      </Button>
                    </span>
                  ) : null}
                </li>
              )
            })}
          </ul>
        )}
      </Paged>
    </section>
  )
}
