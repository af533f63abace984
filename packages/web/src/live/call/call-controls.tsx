/** Panel of the call, and the buttons of a participant. */
import type { ReactNode } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import type { CallSession, CallView } from "./call-session.ts"
import "./call.css"

export const CallPanel = ({ children }: { readonly children: ReactNode }) => {
  const { live } = useTexts()
  return (
    <section className="panel stack" aria-label={live.call}>
      <h2>{live.call}</h2>
      {children}
    </section>
  )
}

interface Props<People> {
  readonly session: CallSession<People>
  readonly view: CallView<People>
}

/** State of a call that is not connected. */
export const CallProgress = <People,>({ session, view: { state } }: Props<People>) => {
  const { live, retry } = useTexts()
  switch (state) {
    case "refused":
      return <Button onPress={() => session.retry()}>{retry}</Button>
    case "waiting":
    case "joining":
      return <p role="status">{live.callWaits}</p>
    case "reconnecting":
      return <p role="status">{live.callReconnecting}</p>
    default:
      return null
  }
}

export const CallControls = <People,>({ session, view }: Props<People>) => {
  const { live } = useTexts()
  return (
    <div className="row">
      <Button isPressed={view.hasMicrophone && !view.isMuted} onPress={() => void session.toggleMicrophone()}>
        {live.microphone}
      </Button>
      <Button isPressed={view.picture !== null} onPress={() => void session.toggleCamera()}>
        {live.camera}
      </Button>
      <Button look="danger" onPress={() => session.leave()}>
        {live.leaveCall}
      </Button>
    </div>
  )
}
