/** Page of `/screen/{id}` for a projector. `?code=` is the join code that it shows. */
import { type GatewayClient, RestProblem } from "@gathercue/client"
import { useConnection, useCountdown, useEvent, useGateway } from "@gathercue/client/react"
import { useEffect } from "react"
import { sessionOf } from "../api/event-session.ts"
import type { PublicEvent } from "../api/public-event.ts"
import { rest, restWith, SERVER } from "../api/rest.ts"
import { useLoaded } from "../api/use-loaded.ts"
import { ReactionTally } from "../live/reaction-tally.tsx"
import { RisingReactions } from "../live/rising-reactions.tsx"
import { useTexts } from "../texts/language.tsx"
import { clockOf, whyFailed } from "../texts/words.ts"
import { Logo, useBranding } from "../ui/branding.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { PollBars } from "./poll-bars.tsx"
import { TopQuestions } from "./top-questions.tsx"

/** Retry interval while the screen cannot show the event, so that nobody has to touch it. */
const LOOK_AGAIN_MS = 10_000

const eventInAddress = (): string => location.pathname.split("/")[2] ?? ""
const codeInAddress = (): string | null => new URLSearchParams(location.search).get("code")

/** A screen without its own session watches as an anonymous viewer, where the phase allows them. The host's console gives it a session. */
const tokenFor = (eventId: string) => () => {
  const session = sessionOf(`screen:${eventId}`)
  const api = session === undefined ? rest : restWith(session.token)
  return api.createGatewayToken({ payload: { eventId } })
}

const Join = ({ eventId }: { readonly eventId: string }) => {
  const { screen } = useTexts()
  const code = codeInAddress()
  return (
    <aside className="screen-join">
      <img src={`/v1/public/events/${eventId}/qr.svg`} alt={screen.qr} />
      <p>{screen.joinAt(code === null ? `${SERVER}/e/${eventId}` : `${location.host}/join`)}</p>
      {code === null ? null : (
        <p>
          {screen.code} <strong>{code}</strong>
        </p>
      )}
    </aside>
  )
}

const Clock = ({ client }: { readonly client: GatewayClient }) => {
  const { screen } = useTexts()
  const timer = useEvent(client, ({ timers }) => timers.find(({ scope }) => scope === "phase"))
  const seconds = useCountdown(client, timer)
  return seconds === null ? null : (
    <p className="screen-clock" role="timer" aria-label={screen.timeLeft}>
      {clockOf(seconds)}
    </p>
  )
}

const Live = ({ eventId }: { readonly eventId: string }) => {
  const texts = useTexts()
  const client = useGateway({ key: eventId, token: tokenFor(eventId), mute: ["transcript"], name: "screen" })
  const { status, error } = useConnection(client)
  const isSignInWanted = error instanceof RestProblem && error.code === "sign_in_required"
  useEffect(() => {
    if (status !== "closed") return
    const timer = setInterval(() => void client.connect().catch(() => {}), LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [client, status])
  const people = useEvent(client, ({ presence }) => presence.total) ?? 0
  return (
    <>
      <ProblemNotice>{isSignInWanted ? texts.screen.signIn : whyFailed(texts, error)}</ProblemNotice>
      <div className="screen-body">
        <div className="screen-main">
          <PollBars client={client} />
          <TopQuestions client={client} />
        </div>
        <div className="screen-side">
          <Clock client={client} />
          <p className="quiet">{texts.live.here(people)}</p>
          <div className="screen-reactions">
            <ReactionTally client={client} />
          </div>
          <RisingReactions client={client} />
        </div>
      </div>
    </>
  )
}

const Body = ({ event }: { readonly event: PublicEvent }) => {
  const { screen } = useTexts()
  switch (event.status) {
    case "live":
      return <Live eventId={event.id} />
    case "ended":
      return <p>{screen.over}</p>
    default:
      return <p>{screen.waiting}</p>
  }
}

export const ScreenApp = () => {
  const texts = useTexts()
  const eventId = eventInAddress()
  const { value, error, reload } = useLoaded(eventId, (signal) => {
    const session = sessionOf(`screen:${eventId}`)
    const api = session === undefined ? rest : restWith(session.token)
    return api.getPublicEvent({ params: { id: eventId } }, { signal })
  })
  useEffect(() => {
    const timer = setInterval(reload, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [reload])
  useBranding(value?.branding)
  // A failed later read leaves the screen unchanged.
  const isAbsent = value === undefined || (error instanceof RestProblem && error.status === 404)
  return (
    <main className="screen on-dark">
      {isAbsent ? (
        <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      ) : (
        <>
          <header className="screen-head">
            <div className="stack">
              <Logo of={value} />
              <h1>{value.title}</h1>
            </div>
            {value.status === "ended" ? null : <Join eventId={eventId} />}
          </header>
          <Body event={value} />
        </>
      )}
    </main>
  )
}
