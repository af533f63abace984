/** Addresses to which an encoder such as OBS or ffmpeg pushes. They are credentials. */
import type { IngestAddress } from "@gathercue/client"
import { useCommand } from "@gathercue/client/react"
import { useState } from "react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { type ClientProps, useCan } from "./live-props.ts"

export const EncoderAddress = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const mayPush = useCan(client, "broadcast.ingest")
  const [address, show] = useState<IngestAddress | undefined>(undefined)
  const { send, isPending, error } = useCommand(client)
  if (!mayPush) return null
  const make = async () => {
    const answer = await send("broadcast.ingest", {})
    if (answer !== undefined) show(answer.d)
  }
  return (
    <section className="panel stack" aria-label={host.encoder}>
      <h3>{host.encoder}</h3>
      <p>{host.encoderHint}</p>
      <div className="row">
        <Button isPending={isPending} onPress={() => void make()}>
          {host.newAddress}
        </Button>
      </div>
      <FailureNotice error={error} />
      {address === undefined ? null : (
        <>
          <CopyField label={host.streamUrl} value={address.streamUrl} />
          <CopyField label={host.hlsUrl} value={address.url} />
        </>
      )}
    </section>
  )
}
