/** The playground, for development: a whole event with a host and three people, created with one click. */
import { useState } from "react"
import { useAction } from "../api/use-action.ts"
import { useLoaded } from "../api/use-loaded.ts"
import { useConsoleTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button, LinkButton } from "../ui/button.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { readCommands } from "./command-schemas.ts"
import { HooksPanel } from "./hooks-panel.tsx"
import { SeatPanel } from "./seat-panel.tsx"
import { Snippet } from "./snippet.tsx"
import { curlOfRest } from "./snippets.ts"
import { createTrialEvent, type TrialEvent } from "./trial-event.ts"

const TrialView = ({ trial }: { readonly trial: TrialEvent }) => {
  const texts = useConsoleTexts()
  const { play } = texts
  const { value: commands, error } = useLoaded("commands", readCommands)
  return (
    <>
      <p>
        {play.event} <code>{trial.eventId}</code>
      </p>
      <div className="row">
        <LinkButton href={`/e/${trial.eventId}`}>{play.attendeePage}</LinkButton>
        <LinkButton href={`/screen/${trial.eventId}`}>{play.screen}</LinkButton>
        <Snippet title="KEY" text={() => `export KEY=${trial.apiKey}\n`} />
        <Snippet title="curl" text={() => curlOfRest("GET", `/v1/events/${trial.eventId}`)} />
      </div>
      <HooksPanel hook={trial.hook} />
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      {commands === undefined ? null : (
        <div className="seats">
          {trial.seats.map((seat) => (
            <SeatPanel key={seat.name} trial={trial} seat={seat} commands={commands} />
          ))}
        </div>
      )}
    </>
  )
}

export const PlayApp = () => {
  const texts = useConsoleTexts()
  const { play } = texts
  const [trial, show] = useState<TrialEvent | undefined>(undefined)
  const { run, isPending, error } = useAction(createTrialEvent)
  const make = async () => {
    const made = await run()
    if (made !== undefined) show(made)
  }
  return (
    <main className="page play stack">
      <h1>{play.title}</h1>
      {trial === undefined ? (
        <>
          <p>{play.about}</p>
          <div className="row">
            <Button look="main" isPending={isPending} onPress={() => void make()}>
              {play.make}
            </Button>
          </div>
          <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
        </>
      ) : (
        <TrialView trial={trial} />
      )}
    </main>
  )
}
