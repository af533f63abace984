/** Panel of the call, and the buttons of a participant. */
import { Mic, MicOff, PhoneOff, ScreenShare, Video, VideoOff } from "lucide-react"
import { type ReactNode, useEffect } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import type { CallSession, CallView } from "./call-session.ts"
import { DevicesDisclosure } from "./device-choices.tsx"
import { canShareScreen } from "./devices.ts"
import "../live.css"
import "./call.css"

export const CallPanel = ({ children }: { readonly children: ReactNode }) => {
  const { live } = useTexts()
  return (
    <section className="panel stack call on-dark" aria-label={live.call}>
      <h2 className="visually-hidden">{live.call}</h2>
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

/** Whether the space bar belongs to what has the focus: a text, a button, a list. */
const isTaken = (target: EventTarget | null): boolean => target instanceof Element && target !== document.body

/** While the space bar is held, a muted person is heard. A window that loses the focus hears no release. */
const usePushToTalk = <People,>(session: CallSession<People>, isMuted: boolean): void => {
  useEffect(() => {
    if (!isMuted) return
    const press = (event: KeyboardEvent) => {
      if (event.key !== " " || event.repeat || isTaken(event.target)) return
      event.preventDefault()
      session.talk(true)
      const release = (): void => {
        removeEventListener("keyup", released)
        removeEventListener("blur", release)
        session.talk(false)
      }
      const released = ({ key }: KeyboardEvent): void => {
        if (key === " ") release()
      }
      addEventListener("keyup", released)
      addEventListener("blur", release)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [session, isMuted])
}

/** Notices of hosts to this person: their muted devices, and a device that they are asked to turn on. */
const HostsWord = <People,>({ session, view: { held, asked } }: Props<People>) => {
  const { live } = useTexts()
  return (
    <div role="status">
      {held.map((source) => (
        <p key={source}>{live.mutedByHost[source]}</p>
      ))}
      {asked === null ? null : (
        <div className="row">
          <p>{live.askedByHost[asked]}</p>
          <Button look="main" onPress={() => void session.answer()}>
            {live.turnOn}
          </Button>
          <Button onPress={() => session.decline()}>{live.notNow}</Button>
        </div>
      )}
    </div>
  )
}

export const CallControls = <People,>({ session, view }: Props<People>) => {
  const { live } = useTexts()
  const isMuted = view.microphone !== null && view.isMuted && !view.held.includes("microphone")
  usePushToTalk(session, isMuted)
  return (
    <>
      <HostsWord session={session} view={view} />
      <div className="row call-bar">
        <Button isPressed={view.microphone !== null && !view.isMuted} onPress={() => void session.toggleMicrophone()}>
          {view.microphone !== null && !view.isMuted ? <Mic /> : <MicOff />}{" "}
          <span className="call-label">{live.microphone}</span>
        </Button>
        <Button isPressed={view.hasCamera} onPress={() => void session.toggleCamera()}>
          {view.hasCamera ? <Video /> : <VideoOff />} <span className="call-label">{live.camera}</span>
        </Button>
        {canShareScreen() ? (
          <Button isPressed={view.isSharing} onPress={() => void session.toggleScreen()}>
            <ScreenShare /> <span className="call-label">{live.shareScreen}</span>
          </Button>
        ) : null}
        <Button look="danger" onPress={() => session.leave()}>
          <PhoneOff /> <span className="call-label">{live.leaveCall}</span>
        </Button>
      </div>
      {isMuted ? <p className="quiet">{live.holdToTalk}</p> : null}
      <DevicesDisclosure session={session} view={view} />
    </>
  )
}
