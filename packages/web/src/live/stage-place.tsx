/** The invitation onto the stage, and the way off it. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Notice, Problem } from "../ui/notice.tsx"

export const StagePlace = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const place = useEvent(client, ({ stage }) => stage?.state ?? null) ?? null
  const { send, isPending, error } = useCommand(client)
  if (place === null) return null
  return (
    <div className="panel">
      <Notice>{place === "on" ? live.onStage : live.invited}</Notice>
      <div className="row">
        {place === "on" ? null : (
          <Button look="main" isPending={isPending} onPress={() => void send("stage.accept", {})}>
            {live.accept}
          </Button>
        )}
        <Button isPending={isPending} onPress={() => void send("stage.leave", {})}>
          {place === "on" ? live.leaveStage : live.decline}
        </Button>
      </div>
      <Problem>{whyFailed(texts, error)}</Problem>
    </div>
  )
}
