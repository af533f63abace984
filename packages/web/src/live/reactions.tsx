/** Reactions: to send, and those that come from everybody at this moment. */
import type { DispatchData, GatewayClient, ReactionKind } from "@gathercue/client"
import { useCommand, useDispatch, useEvent } from "@gathercue/client/react"
import { useEffect, useState } from "react"
import { useFormats, useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Problem } from "../ui/notice.tsx"

const SIGNS: ReadonlyArray<readonly [kind: ReactionKind, sign: string]> = [
  ["like", "👍"],
  ["love", "❤️"],
  ["clap", "👏"],
  ["laugh", "😂"],
  ["wow", "😮"],
  ["sad", "😢"],
  ["fire", "🔥"],
  ["party", "🎉"],
]

/** How long a count stays when no other follows it. */
const SHOWN_MS = 3000

type Counts = DispatchData<"reaction.tally">["counts"]

const NONE: Counts = {}

const useTally = (client: GatewayClient): Counts => {
  const [counts, show] = useState(NONE)
  useDispatch(client, "reaction.tally", (tally) => show(tally.counts))
  // biome-ignore lint/correctness/useExhaustiveDependencies: each count is shown for its own time.
  useEffect(() => {
    const timer = setTimeout(() => show(NONE), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [counts])
  return counts
}

const Tally = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const { number } = useFormats()
  const counts = useTally(client)
  return (
    <ul className="row reactions-now" aria-label={live.reactionsNow}>
      {SIGNS.map(([kind, sign]) => {
        const count = counts[kind]
        return count === undefined ? null : (
          <li key={kind}>
            <span aria-hidden="true">{sign}</span>
            <span className="visually-hidden">{live.reaction[kind]}</span> {number(count)}
          </li>
        )
      })}
    </ul>
  )
}

export const Reactions = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const maySend = useEvent(client, ({ me }) => me.can.includes("reaction.send")) ?? false
  const { send, error } = useCommand(client)
  if (!maySend) return null
  return (
    <section aria-label={live.reactions}>
      <div className="row">
        {SIGNS.map(([kind, sign]) => (
          <Button key={kind} aria-label={live.reaction[kind]} onPress={() => void send("reaction.send", { kind })}>
            <span aria-hidden="true">{sign}</span>
          </Button>
        ))}
        <Tally client={client} />
      </div>
      <Problem>{whyFailed(texts, error)}</Problem>
    </section>
  )
}
