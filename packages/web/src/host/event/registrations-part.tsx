/** People who have registered. */
import type { RegistrationState } from "@gathercue/client"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { usePages } from "../../api/use-pages.ts"
import type { ConsoleTexts } from "../../texts/console/en.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { TextField } from "../../ui/fields.tsx"
import { useAccount } from "../account/account-context.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { FileButton } from "../parts/file-button.tsx"
import { Paged } from "../parts/paged.tsx"
import { Decisions, isDecidable, MOST_CHOSEN } from "./decisions.tsx"
import type { EventProps } from "./event-page.tsx"

const STATES: ReadonlyArray<RegistrationState> = ["approved", "pending", "waiting", "offered", "declined", "expired"]
const shownAnswer = ({ yes, no }: ConsoleTexts["host"]["forms"], value: unknown): string => {
  if (typeof value === "boolean") return value ? yes : no
  return Array.isArray(value) ? value.join(", ") : String(value)
}

interface EmailButtonProps {
  readonly name: string
  readonly isBounced: boolean
  /** Whether the person may send emails to the address again. */
  readonly mayRelease: boolean
  readonly onSend: () => void
  /** The address takes emails again. */
  readonly onRelease: () => void
}

const EmailButton = ({ name, isBounced, mayRelease, onSend, onRelease }: EmailButtonProps) => {
  const { host } = useConsoleTexts()
  if (isBounced && !mayRelease) return null
  const label = isBounced ? host.releaseAddress : host.sendAgain
  return (
    <Button aria-label={`${label}: ${name}`} onPress={isBounced ? onRelease : onSend}>
      {label}
    </Button>
  )
}

export const RegistrationsPart = ({ event }: EventProps) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const { view } = useAccount()
  const role = view?.workspaces.find(({ id }) => id === event.workspaceId)?.role
  const [query, search] = useState("")
  const q = query.trim()
  const [state, show] = useState<RegistrationState | "all">("all")
  const [chosen, choose] = useState<ReadonlyArray<string>>([])
  const pages = usePages(`${event.id} ${state} ${q}`, "registrations", (at) =>
    rest.listRegistrations({
      params: { id: event.id },
      query: { limit: 50, ...at, ...(q === "" ? {} : { q }), ...(state === "all" ? {} : { state }) },
    }),
  )
  const cancelling = useAction((registrationId: string) =>
    rest.cancelRegistration({ params: { id: event.id, registrationId } }).then(() => true),
  )
  const [sentTo, sent] = useState<string | undefined>(undefined)
  const sending = useAction(async (registrationId: string, email: string) => {
    await rest.resendRegistration({ params: { id: event.id, registrationId } })
    sent(email)
  })
  const releasing = useAction((email: string) =>
    rest.deleteBounce({ params: { id: event.workspaceId }, query: { email } }).then(() => true),
  )
  const reload = () => {
    choose([])
    pages.reload()
  }
  const decides = event.approval !== null || event.waitingList !== null || pages.items?.some(isDecidable) === true
  return (
    <section className="stack" aria-label={host.registrations}>
      <div className="row row-apart">
        <TextField
          label={host.search}
          type="search"
          value={query}
          onChange={(next) => {
            choose([])
            search(next)
          }}
          autoComplete="off"
        />
        <Choice
          label={host.eventState}
          options={[["all", host.allStates], ...STATES.map((one) => [one, host.registrationStates[one]] as const)]}
          value={state}
          onChange={(next) => {
            choose([])
            show(next)
          }}
        />
        <FileButton path={`/v1/events/${event.id}/registrations?format=csv`} name="registrations.csv">
          {host.csv}
        </FileButton>
      </div>
      {decides ? <Decisions eventId={event.id} chosen={chosen} onDone={reload} /> : null}
      <span role="status">{sentTo === undefined ? "" : host.inviteMailed(sentTo)}</span>
      <FailureNotice error={sending.error ?? releasing.error} />
      <Paged pages={pages} empty={host.noRegistrations}>
        {(registrations) => (
          <ul className="rows" aria-label={host.registrations}>
            {registrations.map((one) => {
              const { id, name, email, createdAt, position, answers } = one
              return (
                <li key={id} className="row row-apart">
                  <span className="row">
                    {isDecidable(one) ? (
                      <CheckField
                        aria-label={host.choose(name)}
                        isSelected={chosen.includes(id)}
                        isDisabled={chosen.length >= MOST_CHOSEN && !chosen.includes(id)}
                        onChange={(isChosen) =>
                          choose((now) => (isChosen ? [...now, id] : now.filter((other) => other !== id)))
                        }
                      >
                        {""}
                      </CheckField>
                    ) : null}
                    <span>
                      {name}{" "}
                      <span className="quiet">
                        {email}, {moment(createdAt)}
                        {one.state === "approved" ? "" : `, ${host.registrationStates[one.state]}`}
                        {position === null ? "" : ` (${position})`}
                      </span>
                      {one.bouncedAt === null ? null : <span className="badge">{host.bounced}</span>}
                      {answers.map(({ questionId, question, value }) => (
                        <span key={questionId} className="answer">
                          <span className="quiet">{question}</span> {shownAnswer(host.forms, value)}
                        </span>
                      ))}
                    </span>
                  </span>
                  <span className="row">
                    <EmailButton
                      name={name}
                      isBounced={one.bouncedAt !== null}
                      mayRelease={role === "owner" || role === "admin"}
                      onSend={() => void sending.run(id, email)}
                      onRelease={() => void releasing.run(email).then((isDone) => isDone === true && pages.reload())}
                    />
                    <ConfirmButton
                      label={host.cancelRegistration}
                      name={name}
                      question={host.cancelRegistrationQuestion(name)}
                      isPending={cancelling.isPending}
                      error={cancelling.error}
                      onConfirm={() => cancelling.run(id)}
                      onDone={reload}
                    />
                  </span>
                </li>
              )
            })}
          </ul>
        )}
      </Paged>
    </section>
  )
}
