/** Results of a poll, as far as this person may know them. */
import type { PollView } from "@gathercue/client"
import { Label, Meter } from "react-aria-components"
import { useFormats, useTexts } from "../texts/language.tsx"
import "./live.css"

const percentOf = (count: number, voters: number): number => (voters === 0 ? 0 : Math.round((100 * count) / voters))

/** Mean of numeric options. */
const averageOf = ({ kind, options, counts = [] }: PollView): number | undefined => {
  const values = options.map(({ text }) => Number(text))
  const votes = counts.reduce((sum, count) => sum + count, 0)
  if (kind !== "rating" || votes === 0 || !values.every(Number.isFinite)) return undefined
  return values.reduce((sum, value, n) => sum + value * (counts[n] ?? 0), 0) / votes
}

/** People with the most points of the event's quizzes. */
const Board = ({ places }: { readonly places: NonNullable<PollView["board"]> }) => {
  const { live } = useTexts()
  return (
    <ol className="stack-close" aria-label={live.board}>
      {places.map(({ rank, name, points }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places of an anonymous quiz have no other identity
        <li key={at} value={rank}>
          <bdi>{name ?? live.somebody}</bdi> <span className="quiet">{live.points(points)}</span>
        </li>
      ))}
    </ol>
  )
}

interface Props {
  readonly poll: PollView
  readonly chosen: ReadonlyArray<string>
}

export const PollResultList = ({ poll, chosen }: Props) => {
  const { live } = useTexts()
  const { number } = useFormats()
  const { options, counts, voters = 0, correct = [] } = poll
  if (counts === undefined) return null
  const average = averageOf(poll)
  return (
    <div className="stack">
      <ul className="shares" aria-label={live.results}>
        {options.map(({ id, text }, n) => {
          const count = counts[n] ?? 0
          const isRanking = poll.kind === "ranking"
          // Everybody's first place is the whole bar.
          const percent = percentOf(count, isRanking ? voters * options.length : voters)
          const share = isRanking ? live.points(count) : live.share(count, percent)
          return (
            <li key={id}>
              <Meter className="share" value={percent} valueLabel={share}>
                <Label>
                  {chosen.includes(id) ? <span aria-hidden="true">✓ </span> : null}
                  {text}
                  {correct.includes(id) ? ` (${live.right})` : null}
                </Label>
                <span className="quiet">{share}</span>
                <span className="share-bar">
                  <span style={{ width: `${percent}%` }} />
                </span>
              </Meter>
            </li>
          )
        })}
      </ul>
      {poll.board === undefined || poll.board.length === 0 ? null : <Board places={poll.board} />}
      <p className="quiet">
        {live.voters(voters)}
        {average === undefined ? null : `. ${live.average(number(Math.round(average * 10) / 10))}`}
      </p>
    </div>
  )
}
