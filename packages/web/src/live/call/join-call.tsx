/** Shown before a call: nobody is heard or seen without having pressed a button. */
import { Video } from "lucide-react"
import { useEffect, useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import type { CallSession, CallView } from "./call-session.ts"
import { DeviceChoices } from "./device-choices.tsx"
import { Tile } from "./tile.tsx"

interface Props<People> {
  readonly session: CallSession<People>
  readonly view: CallView<People>
  readonly problem: string | null
}

/** The person's picture and level, which nobody else sees. */
const Preview = <People,>({ session, view }: Omit<Props<People>, "problem">) => {
  const { live } = useTexts()
  return (
    <>
      <ul className="tiles" aria-label={live.preview}>
        <Tile
          name={live.yourself}
          stream={view.picture}
          sound={view.microphone}
          hasPicture={view.picture !== null}
          whose="own"
        />
      </ul>
      <DeviceChoices session={session} view={view} />
    </>
  )
}

export const JoinCall = <People,>({ session, view, problem }: Props<People>) => {
  const { live } = useTexts()
  const [isPreview, setPreview] = useState(false)
  // The panel goes with the person's place; devices must not stay on behind it.
  useEffect(
    () => () => {
      if (session.read().state === "off") session.leave()
    },
    [session],
  )
  const toggle = () => {
    setPreview(!isPreview)
    if (isPreview) session.leave()
    else void session.preview()
  }
  return (
    <>
      <p className="call-offer">{live.callOffer}</p>
      <ProblemNotice>{problem}</ProblemNotice>
      {isPreview ? <Preview session={session} view={view} /> : null}
      <div className="row call-bar">
        <Button look="main" onPress={() => void session.join(true)}>
          <Video /> {live.joinCall}
        </Button>
        <Button onPress={() => void session.join(false)}>{live.onlyListen}</Button>
        <Button isPressed={isPreview} onPress={toggle}>
          {live.tryDevices}
        </Button>
      </div>
    </>
  )
}
