/** One poll: open, voted in, or closed. */
import type { GatewayClient, PollView } from "@gathercue/client"
import { useCountdown, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { useTexts } from "../texts/language.tsx"
import { clockOf } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { PollForm } from "./poll-form.tsx"
import { PollResultList } from "./poll-results.tsx"
import "./live.css"

interface Props {
  readonly client: GatewayClient
  readonly poll: PollView
}

const NOTHING: ReadonlyArray<string> = []

/** Reason why there are no results yet. */
const Outlook = ({ poll, hasVoted }: { readonly poll: PollView; readonly hasVoted: boolean }) => {
  const { live } = useTexts()
  if (poll.counts !== undefined || poll.results === "live") return null
  if (poll.results === "onPublish") return <p className="quiet">{live.resultsLater}</p>
  return hasVoted || poll.status === "closed" ? null : <p className="quiet">{live.resultsAfterVote}</p>
}

export const PollItem = ({ client, poll }: Props) => {
  const { live } = useTexts()
  const { id, question, status, allowChange } = poll
  const chosen = useEvent(client, ({ polls }) => polls.chosen[id]) ?? NOTHING
  const mayVote = useEvent(client, ({ me }) => me.can.includes("poll.vote")) ?? false
  const seconds = useCountdown(
    client,
    useEvent(client, ({ timers }) => timers.find(({ ref }) => ref === id)),
  )
  const [isChanging, change] = useState(false)
  const hasVoted = chosen.length > 0
  const isOpen = status === "open" && mayVote
  const isForm = isOpen && (!hasVoted || isChanging)
  return (
    <>
      {isForm ? (
        <PollForm key={chosen.join()} client={client} poll={poll} chosen={chosen} onVoted={() => change(false)} />
      ) : (
        <>
          <h3>{question}</h3>
          {hasVoted ? <p role="status">{live.voted}</p> : null}
        </>
      )}
      <div className="row">
        {status === "closed" ? <span className="badge">{live.pollClosed}</span> : null}
        {seconds === null || status === "closed" ? null : <span className="badge">{live.left(clockOf(seconds))}</span>}
        {isOpen && hasVoted && allowChange && !isChanging ? (
          <Button onPress={() => change(true)}>{live.changeVote}</Button>
        ) : null}
      </div>
      <Outlook poll={poll} hasVoted={hasVoted} />
      <PollResultList poll={poll} chosen={chosen} />
    </>
  )
}
