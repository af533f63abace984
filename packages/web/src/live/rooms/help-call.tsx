/** Button that calls the hosts into the room. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"

export const HelpCall = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const mayAsk = useEvent(client, ({ me }) => me.can.includes("room.help")) ?? false
  const [isAsked, asked] = useState(false)
  const { send, isPending, error } = useCommand(client)
  if (!mayAsk) return null
  return (
    <div className="row">
      <Button
        isPending={isPending}
        onPress={() => void send("room.help", {}).then((reply) => asked(reply !== undefined))}
      >
        {live.askForHelp}
      </Button>
      <span role="status">{isAsked ? live.helpAsked : null}</span>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </div>
  )
}
