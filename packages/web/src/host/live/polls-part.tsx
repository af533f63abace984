/** Polls: composed, opened, closed, shown. */
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../../texts/language.tsx"
import { type LiveProps, useCan } from "./live-props.ts"
import { NewPoll } from "./new-poll.tsx"
import { PollRow } from "./poll-row.tsx"

export const PollsPart = ({ client }: LiveProps) => {
  const { host, live } = useTexts()
  const polls = useEvent(client, (state) => state.polls.all) ?? []
  const mayCompose = useCan(client, "poll.create")
  return (
    <>
      {mayCompose ? <NewPoll client={client} /> : <p>{host.noPolls}</p>}
      {polls.length === 0 ? <p className="quiet">{live.pollsEmpty}</p> : null}
      <ul className="rows" aria-label={live.polls}>
        {polls.map((poll) => (
          <PollRow key={poll.id} client={client} poll={poll} />
        ))}
      </ul>
    </>
  )
}
