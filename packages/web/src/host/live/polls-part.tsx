/** Polls: composing, opening, closing, and showing them. */
import type { PollView } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { LongList, STEP_OF_TALL_ROWS } from "../../ui/long-list.tsx"
import { type LiveProps, useCan } from "./live-props.ts"
import { NewPoll } from "./new-poll.tsx"
import { PollRow } from "./poll-row.tsx"

/** Open polls first, then the newest. */
const openFirst = (polls: ReadonlyArray<PollView>): ReadonlyArray<PollView> =>
  polls.toSorted((a, b) => Number(b.status === "open") - Number(a.status === "open") || b.id.localeCompare(a.id))

export const PollsPart = ({ client }: LiveProps) => {
  const { host, live } = useConsoleTexts()
  const polls = useEvent(client, (state) => openFirst(state.polls.all)) ?? []
  const mayCompose = useCan(client, "poll.create")
  return (
    <>
      {mayCompose ? <NewPoll client={client} /> : <p>{host.noPolls}</p>}
      {polls.length === 0 ? <p className="quiet">{live.pollsEmpty}</p> : null}
      <LongList
        label={live.polls}
        items={polls}
        idOf={({ id }) => id}
        className="rows"
        rowClassName="stack"
        step={STEP_OF_TALL_ROWS}
      >
        {(poll) => <PollRow client={client} poll={poll} />}
      </LongList>
    </>
  )
}
