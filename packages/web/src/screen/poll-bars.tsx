/** The open poll, or the last closed one, with its counts as visible to the audience. */
import { everyoneSees, type GatewayClient, type PollView } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { isWritten } from "../live/poll-kinds.ts"
import { useFormats, useTexts } from "../texts/language.tsx"

const latestOf = (polls: ReadonlyArray<PollView>): PollView | undefined => {
  const shown = polls.filter(({ status }) => status !== "draft")
  const open = shown.filter(({ status }) => status === "open")
  return (open.length > 0 ? open : shown).toSorted((a, b) => (b.openedAt ?? "").localeCompare(a.openedAt ?? ""))[0]
}

/** Words in sizes from one to four, by their votes. */
const Cloud = ({ poll, counts }: { readonly poll: PollView; readonly counts: ReadonlyArray<number> }) => {
  const { screen } = useTexts()
  const most = Math.max(1, ...counts)
  // Alphabetically, so that a word stays near its place while it grows.
  const words = poll.options
    .map(({ id, text, hidden = false }, n) => ({ id, text, hidden, votes: counts[n] ?? 0 }))
    .filter(({ hidden }) => !hidden)
    .sort((a, b) => a.text.localeCompare(b.text))
  return (
    <section aria-label={poll.question}>
      <h2>{poll.question}</h2>
      <ul className="cloud">
        {words.map(({ id, text, votes }) => (
          <li key={id} style={{ fontSize: `${1 + (3 * votes) / most}em` }}>
            {text}
          </li>
        ))}
      </ul>
      <p className="quiet">{screen.votes(poll.voters ?? 0)}</p>
    </section>
  )
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
  if (poll.kind === "wordcloud" && counts !== undefined) return <Cloud poll={poll} counts={counts} />
  // The session of a host has the answers that people wrote before the audience may see them.
  const options = isWritten(poll.kind) && counts === undefined ? [] : poll.options
  return (
    <section aria-label={poll.question}>
      <h2>{poll.question}</h2>
      <ul className="bars">
        {options.map(({ id, text, hidden = false }, index) => {
          const count = counts?.[index]
          return hidden ? null : (
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
