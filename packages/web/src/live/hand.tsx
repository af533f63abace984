/** Raising a hand, and requests to join the stage. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { Hand } from "lucide-react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { ProblemNotice } from "../ui/notice.tsx"

export const HandButton = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const { send, isPending, error } = useCommand(client)
  const { isUp, mayRaise, mayLower, count } = useEvent(client, ({ hands, me }) => ({
    isUp: hands.mine !== null,
    mayRaise: me.can.includes("hand.raise"),
    mayLower: me.can.includes("hand.lower"),
    count: hands.count,
  })) ?? { isUp: false, mayRaise: false, mayLower: false, count: 0 }
  if (!(isUp ? mayLower : mayRaise)) return null
  return (
    <div>
      <div className="row">
        <Button isPending={isPending} onPress={() => void send(isUp ? "hand.lower" : "hand.raise", {})}>
          <Hand /> {isUp ? live.lowerHand : live.raiseHand}
        </Button>
        <span role="status" className="quiet">
          {isUp ? live.handUp : null}
        </span>
        {count === 0 ? null : <span className="quiet">{live.handsUp(count)}</span>}
      </div>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </div>
  )
}
