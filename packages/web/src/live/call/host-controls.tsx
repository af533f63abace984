/** What a host does with the microphones and cameras of a call. */
import type { GatewayClient } from "@gathercue/client"
import type { MediaPeer } from "@gathercue/client/media"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"

export const useMayMute = (client: GatewayClient): boolean =>
  useEvent(client, ({ me }) => me.can.includes("rtc.mute")) ?? false

interface PersonProps {
  readonly client: GatewayClient
  readonly peer: MediaPeer
}

/** Buttons on the tile of a person. A refusal means that the person has just left. */
export const PersonControls = ({ client, peer: { participantId, name, have, muted = [] } }: PersonProps) => {
  const { live } = useTexts()
  const { send } = useCommand(client)
  const button = (source: "microphone" | "camera", mute: string, ask: string, signs: readonly [string, string]) => {
    const on = !muted.includes(source)
    return (
      <Button aria-label={on ? mute : ask} onPress={() => void send("rtc.mute", { participantId, source, on })}>
        {signs[on ? 0 : 1]}
      </Button>
    )
  }
  const isShown = have.video || muted.includes("camera")
  return (
    <>
      {button("microphone", live.mutePerson(name), live.askToSpeak(name), ["🔇", "🎤"])}
      {isShown ? button("camera", live.stopPicture(name), live.askForPicture(name), ["🚫", "📷"]) : null}
    </>
  )
}

/** Mutes everybody else in the room, or lets everybody speak again. */
export const RoomControls = ({
  client,
  people,
}: {
  readonly client: GatewayClient
  readonly people: ReadonlyArray<MediaPeer>
}) => {
  const texts = useTexts()
  const { send, isPending, error } = useCommand(client)
  if (people.length === 0) return null
  const mute = (on: boolean): void => void send("rtc.mute", { source: "microphone", on })
  return (
    <div className="row">
      <Button isPending={isPending} onPress={() => mute(true)}>
        {texts.live.muteAll}
      </Button>
      {people.some(({ muted }) => muted?.includes("microphone")) ? (
        <Button isPending={isPending} onPress={() => mute(false)}>
          {texts.live.unmuteAll}
        </Button>
      ) : null}
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </div>
  )
}
