/** Invitation to the stage, the person's controls on it, and leaving it. */
import type { EventState } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { lazy, Suspense } from "react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Notice, ProblemNotice } from "../ui/notice.tsx"
import type { OnAirProps } from "./stage/on-air.tsx"

/** Loaded when somebody comes on stage, because most of the audience never does. */
const OnAir = lazy(async () => ({ default: (await import("./stage/on-air.tsx")).OnAir }))

/** Administrators of the workspace may also send a picture, without being on stage. */
const ON_STAGE = ["host", "speaker"]

const isOnAirStage = ({ me }: EventState): boolean => ON_STAGE.includes(me.role) && me.can.includes("broadcast.ingest")

export const StagePanel = ({ client, onSending }: OnAirProps) => {
  const texts = useTexts()
  const { live } = texts
  const place = useEvent(client, ({ stage }) => stage?.state ?? null) ?? null
  const isSpeaker = useEvent(client, isOnAirStage) ?? false
  // On a media server the people on stage send their pictures to its call.
  const hasServer = useEvent(client, ({ media }) => media?.provider === "livekit") ?? false
  const { send, isPending, error } = useCommand(client)
  if (place === null && !isSpeaker) return null
  const isOn = place === "on" || isSpeaker
  return (
    <section className="panel stack" aria-label={live.yourPlace}>
      <Notice>{isOn ? live.onStage : live.invited}</Notice>
      {isSpeaker && !hasServer ? (
        <Suspense fallback={<p role="status">{texts.loading}</p>}>
          <OnAir client={client} onSending={onSending} />
        </Suspense>
      ) : null}
      {place === null ? null : (
        <div className="row">
          {isOn ? null : (
            <Button look="main" isPending={isPending} onPress={() => void send("stage.accept", {})}>
              {live.accept}
            </Button>
          )}
          <Button isPending={isPending} onPress={() => void send("stage.leave", {})}>
            {isOn ? live.leaveStage : live.decline}
          </Button>
        </div>
      )}
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </section>
  )
}
