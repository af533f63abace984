/** Recording and captions of the event. */
import type { CaptureKind } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { type ClientProps, useCan } from "./live-props.ts"

const KINDS: ReadonlyArray<CaptureKind> = ["recording", "transcript"]

export const CaptureControls = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const { time } = useFormats()
  const capture = useEvent(client, (state) => state.capture)
  const mayCapture = useCan(client, "capture.start")
  const [kinds, choose] = useState<ReadonlyArray<CaptureKind>>(["recording"])
  const { send, isPending, error } = useCommand(client)
  if (capture === undefined) return null
  return (
    <section className="panel stack" aria-label={host.capture}>
      <h2>{host.capture}</h2>
      <p role="status">
        {capture.on
          ? host.capturing(
              capture.kinds.map((kind) => host.captureKind[kind]).join(", "),
              capture.since === null ? "" : time(capture.since),
            )
          : host.notCapturing}
      </p>
      {mayCapture ? null : <p className="quiet">{host.noCapture}</p>}
      {mayCapture && !capture.on
        ? KINDS.map((kind) => (
            <CheckField
              key={kind}
              isSelected={kinds.includes(kind)}
              onChange={(on) => choose((now) => (on ? [...now, kind] : now.filter((one) => one !== kind)))}
            >
              {host.captureKind[kind]}
            </CheckField>
          ))
        : null}
      {mayCapture ? (
        <div className="row">
          {capture.on ? (
            <Button isPending={isPending} onPress={() => void send("capture.stop", {})}>
              {host.stopCapture}
            </Button>
          ) : (
            <Button
              isDisabled={kinds.length === 0}
              isPending={isPending}
              onPress={() => void send("capture.start", { kinds })}
            >
              {host.startCapture}
            </Button>
          )}
        </div>
      ) : null}
      <FailureNotice error={error} />
    </section>
  )
}
