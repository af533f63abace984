/** How often an event repeats, as a rule of RFC 5545. */
import { useConsoleTexts } from "../../texts/language.tsx"
import { Choice } from "../../ui/choice.tsx"
import { NumberField } from "../parts/number-field.tsx"

export const REPEATS = ["DAILY", "WEEKLY", "MONTHLY"] as const

export interface Repeat<Frequency extends string = (typeof REPEATS)[number]> {
  readonly frequency: Frequency
  /** Number of events, the first included. */
  readonly count: number
}

const MOST = 100

export const ruleOf = ({ frequency, count }: Repeat): string => `FREQ=${frequency};COUNT=${count}`

export const RepeatFields = <Frequency extends keyof ReturnType<typeof useConsoleTexts>["host"]["repeats"]>({
  options,
  value,
  onChange,
}: {
  readonly options: ReadonlyArray<Frequency>
  readonly value: Repeat<Frequency>
  readonly onChange: (value: Repeat<Frequency>) => void
}) => {
  const { host } = useConsoleTexts()
  return (
    <div className="split">
      <Choice
        label={host.repeat}
        options={options.map((one) => [one, host.repeats[one]] as const)}
        value={value.frequency}
        onChange={(frequency) => onChange({ ...value, frequency })}
      />
      {value.frequency === "none" ? null : (
        <NumberField
          name="rrule"
          label={host.howManyEvents}
          minimum={2}
          maximum={MOST}
          value={value.count}
          onChange={(count = value.count) => onChange({ ...value, count })}
        />
      )}
    </div>
  )
}
