/** Speed networking: a person's partners, the remaining time, and the start of the next round. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { RoundView } from "./round-view.tsx"

const TakingPart = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const isOut = useEvent(client, ({ rooms }) => rooms.optedOut) ?? false
  const mayOpt = useEvent(client, ({ me }) => me.can.includes("rotation.opt")) ?? false
  const { send, isPending, error } = useCommand(client)
  if (!mayOpt) return null
  return (
    <div className="row">
      <Button isPending={isPending} onPress={() => void send("rotation.opt", { in: isOut })}>
        {isOut ? live.takePart : live.sitOut}
      </Button>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </div>
  )
}

export const RotationPanel = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const isRotation =
    useEvent(client, ({ phases }) =>
      phases.some(({ status, modality }) => status === "active" && modality === "rotation"),
    ) ?? false
  if (!isRotation) return null
  return (
    <section className="panel stack" aria-label={live.modality.rotation}>
      <h2>{live.modality.rotation}</h2>
      <RoundView client={client} />
      <TakingPart client={client} />
    </section>
  )
}
