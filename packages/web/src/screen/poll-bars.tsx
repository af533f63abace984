/** The open poll, or the last closed one, with its counts as visible to the audience. */
import { everyoneSees, type GatewayClient, type PollView } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useFormats, useTexts } from "../texts/language.tsx"

const latestOf = (polls: ReadonlyArray<PollView>): PollView | undefined => {
  const shown = polls.filter(({ status }) => status !== "draft")
  const open = shown.filter(({ status }) => status === "open")
  return (open.length > 0 ? open : shown).toSorted((a, b) => (b.openedAt ?? "").localeCompare(a.openedAt ?? ""))[0]
}

export const PollBars = ({ client }: { readonly client: GatewayClient }) => {
  const { screen } = useTexts()
  const { number } = useFormats()
  const poll = useEvent(client, ({ polls }) => latestOf(polls.all))
  if (poll === undefined) return null
  const { voters = 0 } = poll
  // The session of a screen may be a host's, who sees more than the audience.
  const counts = everyoneSees(poll) ? poll.counts : undefined
  const most = Math.max(1, ...(counts ?? []))
  return (
    <section aria-label={poll.question}>
      <h2>{poll.question}</h2>
      <ul className="bars">
        {poll.options.map(({ id, text }, index) => {
          const count = counts?.[index]
          return (
            <li key={id}>
              <span className="bar-text">{text}</span>
              {count === undefined ? null : (
                <>
                  <meter className="bar" min={0} max={most} value={count} aria-label={text} />
                  <span className="bar-count">{number(count)}</span>
                </>
              )}
            </li>
          )
        })}
      </ul>
      <p className="quiet">{counts === undefined ? screen.hiddenResults : screen.votes(voters)}</p>
    </section>
  )
}
