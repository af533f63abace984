/** How many of the people took part in what, as bars. */
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"

const MEASURES = ["questions", "questionVotes", "pollVotes", "messages", "rounds"] as const

export type EngagementCounts = { readonly [measure in (typeof MEASURES)[number]]: number }

export const EngagementChart = ({ people }: { readonly people: ReadonlyArray<EngagementCounts> }) => {
  const { host } = useConsoleTexts()
  const { number } = useFormats()
  return (
    <dl aria-label={host.engagement.title}>
      {MEASURES.map((measure) => {
        const active = people.filter((one) => one[measure] > 0).length
        return (
          <div key={measure} className="row row-apart">
            <dt>{host.engagement.did[measure]}</dt>
            <dd>
              <meter min={0} max={people.length} value={active} aria-label={host.engagement.did[measure]} />{" "}
              {host.engagement.share(number(active), number(people.length))}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
