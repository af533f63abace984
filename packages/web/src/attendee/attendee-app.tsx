/** The pages of `/join`, `/e/{id}`, `/enter/{id}`, `/answers/{id}` and `/survey/{id}`. */
import { lazy, Suspense } from "react"
import { EventPage } from "./event-page.tsx"
import { JoinPage } from "./join-page.tsx"

const FormPage = lazy(async () => ({ default: (await import("./form-page.tsx")).FormPage }))

const inAddress = () => /^\/(e|enter|answers|survey)\/([^/]+)\/?$/.exec(location.pathname) ?? []

export const AttendeeApp = () => {
  const [, page, eventId] = inAddress()
  if (eventId !== undefined && (page === "answers" || page === "survey")) {
    return (
      <Suspense>
        <FormPage eventId={eventId} form={page === "answers" ? "registration" : "survey"} />
      </Suspense>
    )
  }
  return eventId === undefined ? <JoinPage /> : <EventPage eventId={eventId} />
}
