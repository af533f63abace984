/** The playground, for development: a whole event with a host and three people, created with one click. */
import { useState } from "react"
import { useAction } from "../api/use-action.ts"
import { useLoaded } from "../api/use-loaded.ts"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button, LinkButton } from "../ui/button.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { readCommands } from "./command-schemas.ts"
import { HooksPanel } from "./hooks-panel.tsx"
import { makeScene, type Scene } from "./scene.ts"
import { SeatPanel } from "./seat-panel.tsx"
import { Snippet } from "./snippet.tsx"
import { curlOfRest } from "./snippets.ts"

const SceneView = ({ scene }: { readonly scene: Scene }) => {
  const texts = useTexts()
  const { play } = texts
  const { value: commands, error } = useLoaded("commands", readCommands)
  return (
    <>
      <p>
        {play.event} <code>{scene.eventId}</code>
      </p>
      <div className="row">
        <LinkButton href={`/e/${scene.eventId}`}>{play.attendeePage}</LinkButton>
        <LinkButton href={`/screen/${scene.eventId}`}>{play.screen}</LinkButton>
        <Snippet title="KEY" text={() => `export KEY=${scene.apiKey}\n`} />
        <Snippet title="curl" text={() => curlOfRest("GET", `/v1/events/${scene.eventId}`)} />
      </div>
      <HooksPanel hook={scene.hook} />
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      {commands === undefined ? null : (
        <div className="seats">
          {scene.seats.map((seat) => (
            <SeatPanel key={seat.name} scene={scene} seat={seat} commands={commands} />
          ))}
        </div>
      )}
    </>
  )
}

export const PlayApp = () => {
  const texts = useTexts()
  const { play } = texts
  const [scene, show] = useState<Scene | undefined>(undefined)
  const { run, isPending, error } = useAction(makeScene)
  const make = async () => {
    const made = await run()
    if (made !== undefined) show(made)
  }
  return (
    <main className="page play stack">
      <h1>{play.title}</h1>
      {scene === undefined ? (
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
        <SceneView scene={scene} />
      )}
    </main>
  )
}
