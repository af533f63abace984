/** The pages behind the links of emails to a person's answers, and to the survey after an event. */
import { useEffect } from "react"
import { entryToken } from "../api/entry-token.ts"
import { AnswerForm } from "../forms/answer-form.tsx"
import type { PublicForm } from "../forms/answers.ts"
import { useTexts } from "../texts/language.tsx"
import { Logo, useBranding } from "../ui/branding.tsx"
import { LinkButton } from "../ui/button.tsx"
import { usePublicEvent } from "./use-public-event.ts"

interface Props {
  readonly eventId: string
  readonly form: PublicForm["form"]
}

export const FormPage = ({ eventId, form }: Props) => {
  const { attendee } = useTexts()
  const { value: event } = usePublicEvent(eventId, undefined)
  const title = event?.title
  useBranding(event?.branding)
  useEffect(() => {
    if (title !== undefined) document.title = title
  }, [title])
  return (
    <main className="page page-narrow stack">
      {event === undefined ? null : <Logo of={event} />}
      <h1>{title ?? attendee.title}</h1>
      <AnswerForm
        eventId={eventId}
        form={form}
        token={entryToken}
        closed={<p role="status">{attendee.formClosed}</p>}
      />
      <div className="row">
        <LinkButton href={`/e/${eventId}`}>{attendee.toEvent}</LinkButton>
      </div>
    </main>
  )
}
