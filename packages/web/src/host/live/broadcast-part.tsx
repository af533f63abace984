/** The broadcast of the phase: its state, the encoder's address, this browser's camera, and the recording. */
import { activePhase, type BroadcastView } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useIsOnAir } from "../../live/stage/use-camera-push.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { Camera } from "./camera.tsx"
import { CaptureControls } from "./capture.tsx"
import { EncoderAddress } from "./encoder-address.tsx"
import { type ClientProps, type LiveProps, useCan } from "./live-props.ts"

const Steps = ({ client, status }: ClientProps & { readonly status: BroadcastView["status"] }) => {
  const { host } = useConsoleTexts()
  const { send, isPending, error } = useCommand(client)
  const ending = useCommand(client)
  return (
    <>
      <div className="row">
        {status === "idle" ? (
          <Button look="main" isPending={isPending} onPress={() => void send("broadcast.start", {})}>
            {host.startBroadcast}
          </Button>
        ) : null}
        {status === "live" ? (
          <Button isPending={isPending} onPress={() => void send("broadcast.pause", {})}>
            {host.pause}
          </Button>
        ) : null}
        {status === "paused" ? (
          <Button isPending={isPending} onPress={() => void send("broadcast.resume", {})}>
            {host.resume}
          </Button>
        ) : null}
        {status === "live" || status === "paused" ? (
          <ConfirmButton
            label={host.stopBroadcast}
            question={host.stopBroadcastQuestion}
            isPending={ending.isPending}
            error={ending.error}
            onConfirm={async () => (await ending.send("broadcast.stop", {})) !== undefined}
          />
        ) : null}
      </div>
      <FailureNotice error={error} />
    </>
  )
}

const Control = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const broadcast = useEvent(client, (state) => state.broadcast) ?? null
  const encoder = useEvent(client, (state) => state.encoder) ?? null
  const maySteer = useCan(client, "broadcast.start")
  const status = broadcast?.status ?? "idle"
  const playbackUrl = broadcast?.playbackUrl ?? null
  return (
    <>
      <p role="status">
        <span className="badge">{host.broadcastStatus[status]}</span>{" "}
        {encoder === null ? "" : host.encoderState[encoder.state]} {encoder?.failure?.detail}
      </p>
      {maySteer ? <Steps client={client} status={status} /> : null}
      {playbackUrl === null ? null : <CopyField label={host.playbackUrl} value={playbackUrl} />}
    </>
  )
}

export const BroadcastPart = ({ client }: LiveProps) => {
  const { host } = useConsoleTexts()
  const phase = useEvent(client, activePhase)
  const isOnAir = useIsOnAir(client)
  return (
    <>
      {phase?.modality === "broadcast" ? (
        <section className="stack" aria-label={host.broadcast}>
          <h2>{host.broadcast}</h2>
          <Control client={client} />
          {isOnAir ? (
            <>
              <Camera client={client} />
              <EncoderAddress client={client} />
            </>
          ) : null}
        </section>
      ) : (
        <p>{host.noBroadcast}</p>
      )}
      <CaptureControls client={client} />
    </>
  )
}
