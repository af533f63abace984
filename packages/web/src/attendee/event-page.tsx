/** The event as shown to a person without a session, and the ways to enter. */
import { lazy, Suspense, useEffect, useState } from "react"
import { entryToken } from "../api/entry-token.ts"
import { type EventSession, forgetSession, keepSession, sessionOf } from "../api/event-session.ts"
import { rest } from "../api/rest.ts"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Logo, useBranding } from "../ui/branding.tsx"
import { Button } from "../ui/button.tsx"
import { LanguageChoice } from "../ui/language-choice.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { onEmbedderEnter, tellEmbedder } from "./embedding.ts"
import { EventAbout, EventHead } from "./event-card.tsx"
import { usePublicEvent } from "./use-public-event.ts"
import { WayIn } from "./way-in.tsx"

/** Loaded when somebody enters, or sees that they can: most visitors before the start only look. */
const loadLiveRoom = () => import("./live-room.tsx")
const LiveRoom = lazy(async () => ({ default: (await loadLiveRoom()).LiveRoom }))

/** Loaded when the event is over. */
const Replay = lazy(async () => ({ default: (await import("./replay/replay.tsx")).Replay }))

const AnswerForm = lazy(async () => ({ default: (await import("../forms/answer-form.tsx")).AnswerForm }))

/** Interval of reloading an event that has not begun. */
const LOOK_AGAIN_MS = 15_000

const enter = async (eventId: string, token: string): Promise<EventSession> => {
  const { sessionToken, name } = await rest.enter({ params: { id: eventId }, payload: { token } })
  const session = { token: sessionToken, name }
  keepSession(eventId, session)
  return session
}

export const EventPage = ({ eventId }: { readonly eventId: string }) => {
  const texts = useTexts()
  const [session, setSession] = useState<EventSession | undefined>(() => sessionOf(eventId))
  const [failure, fail] = useState<unknown>(null)
  const [isInside, goInside] = useState(false)
  const event = usePublicEvent(eventId, session?.token)
  const status = event.value?.status
  useBranding(event.value?.branding)
  useEffect(() => {
    if (entryToken === null) return
    enter(eventId, entryToken).then(setSession, fail)
  }, [eventId])
  useEffect(() => {
    const stop = onEmbedderEnter((token) => {
      // Not stored in the browser, because it belongs to the embedding page.
      setSession({ token, name: null })
      goInside(true)
    })
    tellEmbedder({ type: "gathercue.ready", eventId })
    return stop
  }, [eventId])
  useEffect(() => {
    // Without a network it is loaded again when somebody enters.
    if (status === "live") loadLiveRoom().catch(() => {})
  }, [status])
  useEffect(() => {
    if (status === "ended") tellEmbedder({ type: "gathercue.ended", eventId })
  }, [status, eventId])
  const { reload } = event
  useEffect(() => {
    if (isInside || status === "ended") return
    const timer = setInterval(reload, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isInside, status, reload])
  useEffect(() => {
    if (event.value !== undefined) document.title = event.value.title
  }, [event.value])

  const signOut = () => {
    forgetSession(eventId)
    setSession(undefined)
    goInside(false)
  }
  const leaveEnded = () => {
    goInside(false)
    reload()
  }
  if (isInside) {
    return (
      <Suspense fallback={<p className="page">{texts.loading}</p>}>
        <LiveRoom
          eventId={eventId}
          session={session}
          logo={event.value === undefined ? null : <Logo of={event.value} />}
          onLeave={() => goInside(false)}
          onSignOut={signOut}
          onEnd={leaveEnded}
        />
      </Suspense>
    )
  }
  if (event.value === undefined) {
    return (
      <main className="page page-narrow">
        {event.error === null ? <p role="status">{texts.loading}</p> : null}
        <ProblemNotice>{event.isLoading ? null : whyFailed(texts, failure ?? event.error)}</ProblemNotice>
        {event.error === null ? null : <Button onPress={reload}>{texts.retry}</Button>}
      </main>
    )
  }
  const isOver = event.value.status === "ended"
  return (
    <>
      <main className="page event-page">
        <EventHead event={event.value} />
        <div className="event-side stack">
          <ProblemNotice>{whyFailed(texts, failure)}</ProblemNotice>
          <WayIn event={event.value} session={session} onEnter={() => goInside(true)} onSignOut={signOut} />
          {isOver && event.value.visibility !== "private" ? (
            // The recap does not wait for the survey.
            <Suspense>
              <AnswerForm eventId={eventId} form="survey" token={null} />
            </Suspense>
          ) : null}
        </div>
        <EventAbout event={event.value} />
        {isOver ? (
          <div className="event-recap">
            <Suspense fallback={<p role="status">{texts.loading}</p>}>
              <Replay eventId={eventId} sessionToken={session?.token} />
            </Suspense>
          </div>
        ) : null}
      </main>
      <footer className="page row event-foot">
        <LanguageChoice />
      </footer>
    </>
  )
}
