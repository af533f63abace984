/** Current reactions of everybody, counted by kind. */
import type { DispatchData, GatewayClient, ReactionKind } from "@gathercue/client"
import { useDispatch } from "@gathercue/client/react"
import { useEffect, useState } from "react"
import { useFormats, useTexts } from "../texts/language.tsx"

export const REACTION_SIGNS: ReadonlyArray<readonly [kind: ReactionKind, sign: string]> = [
  ["like", "👍"],
  ["love", "❤️"],
  ["clap", "👏"],
  ["laugh", "😂"],
  ["wow", "😮"],
  ["sad", "😢"],
  ["fire", "🔥"],
  ["party", "🎉"],
]

/** Time for which a count stays when no other follows. */
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

export const ReactionTally = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const { number } = useFormats()
  const counts = useTally(client)
  return (
    <ul className="row reactions-now" aria-label={live.reactionsNow}>
      {REACTION_SIGNS.map(([kind, sign]) => {
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
