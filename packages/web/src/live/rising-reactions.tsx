/** Reactions that rise over the pictures. The count beside the buttons tells the same to screen readers. */
import type { DispatchData, GatewayClient } from "@gathercue/client"
import { useDispatch } from "@gathercue/client/react"
import { useRef, useState } from "react"
import { REACTION_SIGNS } from "./reaction-tally.tsx"
import "./live.css"

interface Rising {
  readonly id: number
  readonly sign: string
  /** Place from the left edge in percent. */
  readonly left: number
}

/** Most signs of one kind for one count, and on the page at once: a crowd must not cost the pictures their frames. */
const PER_COUNT = 4
const AT_ONCE = 30

type Counts = DispatchData<"reaction.tally">["counts"]

const signsOf = (counts: Counts): ReadonlyArray<string> =>
  REACTION_SIGNS.flatMap(([kind, sign]) => Array.from({ length: Math.min(PER_COUNT, counts[kind] ?? 0) }, () => sign))

export const RisingReactions = ({ client }: { readonly client: GatewayClient }) => {
  const [rising, show] = useState<ReadonlyArray<Rising>>([])
  const next = useRef(0)
  useDispatch(client, "reaction.tally", ({ counts }) => {
    const added = signsOf(counts).map((sign) => {
      next.current += 1
      return { id: next.current, sign, left: 5 + Math.random() * 85 }
    })
    show((now) => [...now, ...added].slice(-AT_ONCE))
  })
  const gone = (id: number) => show((now) => now.filter((one) => one.id !== id))
  return (
    <div className="rising" aria-hidden="true">
      {rising.map(({ id, sign, left }) => (
        <span key={id} style={{ left: `${left}%` }} onAnimationEnd={() => gone(id)}>
          {sign}
        </span>
      ))}
    </div>
  )
}
