/** People who were given a role at the event. */
import type { EventRole, EventWithPhases } from "@gathercue/client"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Choice } from "../../ui/choice.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { Paged } from "../parts/paged.tsx"
import type { EventProps } from "./event-page.tsx"

const ROLES: ReadonlyArray<EventRole> = ["host", "speaker", "participant", "viewer"]

type ListedMembership = Exclude<Awaited<ReturnType<typeof rest.listMemberships>>, string>["memberships"][number]

interface Props {
  readonly event: EventWithPhases
  readonly membership: ListedMembership
  readonly onChange: () => void
}

const MembershipRow = ({ event, membership, onChange }: Props) => {
  const { host, labelled } = useConsoleTexts()
  const { id, userId, role, email } = membership
  const name = membership.name ?? email ?? userId
  const giving = useAction((given: EventRole) =>
    rest.createMembership({ params: { id: event.id }, payload: { userId, role: given } }),
  )
  const taking = useAction(() => rest.deleteMembership({ params: { id: event.id, membershipId: id } }).then(() => true))
  return (
    <li className="row row-apart">
      <span>
        {name} <span className="quiet">{membership.name === null ? "" : email}</span>
      </span>
      <span className="row">
        <Choice
          label={labelled(host.role, name)}
          options={(ROLES.includes(role) ? ROLES : [role, ...ROLES]).map((one) => [one, host.roles[one]] as const)}
          value={role}
          onChange={(given) => void giving.run(given).then(onChange)}
        />
        <ConfirmButton
          label={host.takeRole}
          name={name}
          question={host.takeRoleQuestion(name)}
          isPending={taking.isPending}
          error={taking.error}
          onConfirm={taking.run}
          onDone={onChange}
        />
      </span>
      <FailureNotice error={giving.error} words={{ role_not_on_event: host.roleNotOnEvent }} />
    </li>
  )
}

export const MembershipsPart = ({ event }: EventProps) => {
  const { host } = useConsoleTexts()
  const pages = usePages(event.id, "memberships", (at) =>
    rest.listMemberships({
      params: { id: event.id },
      query: { limit: 50, ...at },
    }),
  )
  return (
    <section className="stack" aria-label={host.memberships}>
      <p className="quiet">{host.membershipsHint}</p>
      <Paged pages={pages} empty={host.noMemberships}>
        {(memberships) => (
          <ul className="rows" aria-label={host.memberships}>
            {memberships.map((membership) => (
              <MembershipRow key={membership.id} event={event} membership={membership} onChange={pages.reload} />
            ))}
          </ul>
        )}
      </Paged>
    </section>
  )
}
