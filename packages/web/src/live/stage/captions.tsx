/** Live captions, written by a recogniser or a person. */
import type { GatewayClient, TranscriptSegment } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import "./stage.css"

/** Maximum number of lines shown; the oldest are dropped. */
const SHOWN = 3
const NONE: ReadonlyArray<TranscriptSegment> = []

export const Captions = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const [isHidden, hide] = useState(false)
  const lines =
    useEvent(client, ({ transcript, me }) =>
      [...transcript.segments, ...transcript.interim]
        .filter(({ roomId }) => (roomId ?? null) === me.roomId)
        .slice(-SHOWN),
    ) ?? NONE
  if (lines.length === 0) return null
  return (
    <section aria-label={live.captions}>
      <Button isPressed={!isHidden} onPress={() => hide(!isHidden)}>
        {live.captions}
      </Button>
      {isHidden ? null : (
        <div className="on-dark captions">
          {lines.map(({ segment, speaker, lang, text, final }) => (
            <p key={segment} lang={lang} className={final ? undefined : "quiet"}>
              {speaker === "" ? null : <b>{speaker}: </b>}
              {text}
            </p>
          ))}
        </div>
      )}
    </section>
  )
}
