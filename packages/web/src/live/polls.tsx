/** Polls of the event, newest first. */
import type { GatewayClient, PollView } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { LongList, STEP_OF_TALL_ROWS } from "../ui/long-list.tsx"
import { PollItem } from "./poll-item.tsx"

const NONE: ReadonlyArray<PollView> = []

const openedFirst = (polls: ReadonlyArray<PollView>): ReadonlyArray<PollView> =>
  polls
    .filter(({ status }) => status !== "draft")
    .sort(
      (a, b) =>
        Number(b.status === "open") - Number(a.status === "open") ||
        (b.openedAt ?? "").localeCompare(a.openedAt ?? "") ||
        b.id.localeCompare(a.id),
    )

export const Polls = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const polls = useEvent(client, (state) => openedFirst(state.polls.all)) ?? NONE
  return (
    <section className="panel stack" aria-label={live.polls}>
      <h2 className="visually-hidden">{live.polls}</h2>
      {polls.length === 0 ? <p className="quiet">{live.pollsEmpty}</p> : null}
      <LongList
        label={live.polls}
        items={polls}
        idOf={({ id }) => id}
        className="stack"
        rowClassName="poll stack"
        step={STEP_OF_TALL_ROWS}
      >
        {(poll) => <PollItem client={client} poll={poll} />}
      </LongList>
    </section>
  )
}
