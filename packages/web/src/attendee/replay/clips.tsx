/** Clips of the recording. */
import { useState } from "react"
import { Player } from "../../live/stage/player.tsx"
import { useTexts } from "../../texts/language.tsx"
import { clockOf } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { LongList } from "../../ui/long-list.tsx"

interface Clip {
  readonly id: string
  readonly title: string | null
  readonly durationMs: number
  readonly playbackUrl: string | null
}

export const ClipList = ({ clips }: { readonly clips: ReadonlyArray<Clip> }) => {
  const { attendee } = useTexts()
  const [shown, show] = useState<string | null>(null)
  return (
    <section className="stack" aria-label={attendee.clips}>
      <h2>{attendee.clips}</h2>
      <LongList
        label={attendee.clips}
        items={clips.map((clip, n) => ({ ...clip, name: clip.title ?? attendee.clip(n + 1) }))}
        idOf={({ id }) => id}
        className="stack"
        rowClassName="stack"
      >
        {({ id, name, durationMs, playbackUrl }) => (
          <>
            <Button isPressed={shown === id} onPress={() => show(shown === id ? null : id)}>
              {name} ({clockOf(Math.round(durationMs / 1000))})
            </Button>
            {shown === id && playbackUrl !== null ? <Player label={name} url={playbackUrl} /> : null}
          </>
        )}
      </LongList>
    </section>
  )
}
