/** Reactions of the last seconds. */
import type { GatewayClient, ReactionKind } from "@gathercue/client"
import { useDispatch } from "@gathercue/client/react"
import { useEffect, useState } from "react"
import { useFormats } from "../texts/language.tsx"

const SHOWN_MS = 4000

const SIGNS: Readonly<Record<ReactionKind, string>> = {
  like: "👍",
  love: "❤️",
  clap: "👏",
  laugh: "😄",
  wow: "😮",
  sad: "😢",
  fire: "🔥",
  party: "🎉",
}
const KINDS = Object.keys(SIGNS) as ReadonlyArray<ReactionKind>

type Counts = { readonly [kind in ReactionKind]?: number }

export const Reactions = ({ client }: { readonly client: GatewayClient }) => {
  const { number } = useFormats()
  const [counts, show] = useState<Counts>({})
  useDispatch(client, "reaction.tally", ({ counts: told }) => show(told))
  useEffect(() => {
    const timer = setTimeout(() => show((now) => (now === counts ? {} : now)), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [counts])
  return (
    <p className="screen-reactions">
      {KINDS.filter((kind) => (counts[kind] ?? 0) > 0).map((kind) => (
        <span key={kind}>
          {SIGNS[kind]} {number(counts[kind] ?? 0)}
        </span>
      ))}
    </p>
  )
}
