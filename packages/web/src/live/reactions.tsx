/** Reactions: buttons for sending, and the current ones of everybody. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { REACTION_SIGNS, ReactionTally } from "./reaction-tally.tsx"

export const ReactionsPanel = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const maySend = useEvent(client, ({ me }) => me.can.includes("reaction.send")) ?? false
  const { send, error } = useCommand(client)
  if (!maySend) return null
  return (
    <section aria-label={live.reactions}>
      <div className="row reaction-bar">
        {REACTION_SIGNS.map(([kind, sign]) => (
          <Button
            key={kind}
            look="quiet"
            aria-label={live.reaction[kind]}
            onPress={() => void send("reaction.send", { kind })}
          >
            <span aria-hidden="true">{sign}</span>
          </Button>
        ))}
        <ReactionTally client={client} />
      </div>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </section>
  )
}
