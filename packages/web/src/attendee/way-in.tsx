/** Entering with a session or anonymously, and registering. */
import { useState } from "react"
import type { EventSession } from "../api/event-session.ts"
import type { PublicEvent } from "../api/public-event.ts"
import { rest } from "../api/rest.ts"
import { useAction } from "../api/use-action.ts"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../ui/field-form.tsx"
import { TextField } from "../ui/fields.tsx"
import { Notice, ProblemNotice } from "../ui/notice.tsx"

interface Props {
  readonly event: PublicEvent
  readonly session: EventSession | undefined
  readonly onEnter: () => void
  readonly onSignOut: () => void
}

const REGISTRATION = ["name", "email"] as const

const Registration = ({ event }: Pick<Props, "event">) => {
  const texts = useTexts()
  const { attendee } = texts
  const [answered, answer] = useState<{ readonly registered: boolean } | undefined>(undefined)
  const { run, isPending, error } = useAction((name: string, email: string) =>
    rest.register({ params: { id: event.id }, payload: { name, email } }),
  )
  const { errors, left } = useFieldFaults(error, REGISTRATION)
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const fields = new FormData(submitted.currentTarget)
    answer(await run(String(fields.get("name")).trim(), String(fields.get("email")).trim()))
  }
  if (answered !== undefined) {
    return (
      <section className="panel" aria-label={attendee.registerTitle}>
        <Notice>{answered.registered ? attendee.registered : attendee.registeredWaiting}</Notice>
      </section>
    )
  }
  return (
    <section className="panel" aria-label={attendee.registerTitle}>
      <h2>{attendee.registerTitle}</h2>
      <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
        <TextField name="name" label={attendee.name} isRequired maxLength={80} autoComplete="name" />
        <TextField name="email" type="email" label={attendee.email} isRequired autoComplete="email" />
        <ProblemNotice>{whyFailed(texts, left)}</ProblemNotice>
        <Button type="submit" look="main" isPending={isPending}>
          {attendee.register}
        </Button>
      </FieldForm>
    </section>
  )
}

/** Without a session the server admits people only to a public event that has a broadcast. */
const mayWatch = ({ visibility, phases }: PublicEvent): boolean =>
  visibility === "public" && phases.some(({ modality }) => modality === "broadcast")

export const WayIn = ({ event, session, onEnter, onSignOut }: Props) => {
  const { attendee, refusals } = useTexts()
  if (event.status === "ended" || event.cancelledAt !== null) return null
  const name = session?.name ?? null
  if (session !== undefined) {
    return (
      <div className="panel">
        <p>{name === null ? null : attendee.welcome(name)}</p>
        {event.status === "live" ? null : <p>{attendee.notStarted}</p>}
        <div className="row">
          <Button look="main" onPress={onEnter}>
            {attendee.enterNow}
          </Button>
          {/* On a computer that several people use. */}
          {name === null ? null : <Button onPress={onSignOut}>{attendee.notYou(name)}</Button>}
        </div>
      </div>
    )
  }
  // A private event has no registration: its sessions come with an invitation.
  if (event.visibility === "private") return <Notice>{refusals["sign_in_required"]}</Notice>
  return (
    <>
      {mayWatch(event) ? (
        <div className="row">
          <Button look={event.status === "live" ? "main" : "plain"} onPress={onEnter}>
            {attendee.asGuest}
          </Button>
        </div>
      ) : null}
      <Registration event={event} />
    </>
  )
}
