/** Order of a poll's options: a press on an option gives it the next place, another press takes it back. */
import { useTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"

interface Props {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly id: string; readonly text: string }>
  /** Ids of the placed options, the best first. */
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
}

export const Ranking = ({ label, options, value, onChange }: Props) => {
  const { live } = useTexts()
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      <p className="quiet">{live.rankingHint}</p>
      <ul className="stack-close plain-list">
        {options.map(({ id, text }) => {
          const place = value.indexOf(id) + 1
          return (
            <li key={id}>
              <Button
                isPressed={place > 0}
                onPress={() => onChange(place > 0 ? value.filter((one) => one !== id) : [...value, id])}
              >
                {place > 0 ? `${live.place(place)}: ${text}` : text}
              </Button>
            </li>
          )
        })}
      </ul>
    </fieldset>
  )
}
