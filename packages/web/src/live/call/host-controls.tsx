/** Buttons of hosts for the microphones and cameras of a call. */
import type { GatewayClient } from "@gathercue/client"
import type { MediaPeer, MutedSource } from "@gathercue/client/media"
import { type CommandSender, useEvent } from "@gathercue/client/react"
import { Mic, MicOff, Video, VideoOff } from "lucide-react"
import type { ReactNode } from "react"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { IconButton } from "../../ui/icon-button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"

export const useMayMute = (client: GatewayClient): boolean =>
  useEvent(client, ({ me }) => me.can.includes("rtc.mute")) ?? false

interface HostProps {
  /** Sends the commands of all buttons of the call, and has the reason of the last refusal. */
  readonly command: CommandSender
}

/** Buttons on the tile of a person. What is off can only be asked for. */
export const PersonControls = ({ command, peer }: HostProps & { readonly peer: MediaPeer }) => {
  const { live } = useTexts()
  const { participantId, name, have, muted = [] } = peer
  const button = (source: MutedSource, on: boolean, label: string, icon: ReactNode) => (
    <IconButton
      label={label}
      isPending={command.isPending}
      onPress={() => void command.send("rtc.mute", { participantId, source, on })}
    >
      {icon}
    </IconButton>
  )
  return (
    <>
      {have.audio && !muted.includes("microphone")
        ? button("microphone", true, live.mutePerson(name), <MicOff />)
        : button("microphone", false, live.askToSpeak(name), <Mic />)}
      {have.video && !muted.includes("camera")
        ? button("camera", true, live.stopPicture(name), <VideoOff />)
        : button("camera", false, live.askForPicture(name), <Video />)}
    </>
  )
}

/** Mutes everybody else in the room, or asks everybody to speak again. */
export const RoomControls = ({ command, people }: HostProps & { readonly people: ReadonlyArray<MediaPeer> }) => {
  const texts = useTexts()
  const { send, isPending, error } = command
  if (people.length === 0) return null
  const mute = (on: boolean): void => void send("rtc.mute", { source: "microphone", on })
  return (
    <div className="row">
      <Button look="quiet" isPending={isPending} onPress={() => mute(true)}>
        {texts.live.muteAll}
      </Button>
      {people.some(({ muted }) => muted?.includes("microphone")) ? (
        <Button look="quiet" isPending={isPending} onPress={() => mute(false)}>
          {texts.live.unmuteAll}
        </Button>
      ) : null}
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </div>
  )
}
