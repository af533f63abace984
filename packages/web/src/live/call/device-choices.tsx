/** Choice of microphone and camera, with the level of the microphone. */
import { useTexts } from "../../texts/language.tsx"
import { Choice } from "../../ui/choice.tsx"
import type { CallSession } from "./call-session.ts"
import type { DeviceKind } from "./devices.ts"
import type { DevicesView } from "./own-devices.ts"
import { useLoudness } from "./use-loudness.ts"

interface Props<People> {
  readonly session: CallSession<People>
  readonly view: DevicesView
}

const Level = ({ microphone }: { readonly microphone: MediaStream | null }) => {
  const { live } = useTexts()
  const loudness = useLoudness(microphone)
  return (
    <label className="level">
      {live.level} <meter min={0} max={1} value={loudness} />
    </label>
  )
}

export const DeviceChoices = <People,>({ session, view }: Props<People>) => {
  const { live } = useTexts()
  const choice = (kind: DeviceKind, label: string, track: MediaStreamTrack | undefined) => {
    const options = view.lists[kind].map(({ id, label: name }, at) => [id, name || `${label} ${at + 1}`] as const)
    const used = track?.getSettings().deviceId ?? view.chosen[kind] ?? options[0]?.[0]
    if (used === undefined) return null
    return <Choice label={label} options={options} value={used} onChange={(id) => void session.choose(kind, id)} />
  }
  const camera = view.hasCamera && !view.isSharing ? view.picture?.getVideoTracks()[0] : undefined
  return (
    <div className="stack-close">
      {choice("microphone", live.microphone, view.microphone?.getAudioTracks()[0])}
      {view.microphone === null ? null : <Level microphone={view.microphone} />}
      {choice("camera", live.camera, camera)}
    </div>
  )
}

/** The choice during a call, closed until it is wanted. */
export const DevicesDisclosure = <People,>(props: Props<People>) => {
  const { live } = useTexts()
  return (
    <details>
      <summary>{live.devices}</summary>
      <DeviceChoices {...props} />
    </details>
  )
}
