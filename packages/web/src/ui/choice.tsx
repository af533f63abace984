/** A choice of one value out of a few, separate from the other fields, so that it is loaded only where it is needed. */
import { ChevronDown } from "lucide-react"
import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components"

interface ChoiceProps<A extends string> {
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: A, text: string]>
  readonly value: A
  readonly onChange: (value: A) => void
  readonly isDisabled?: boolean
}

export const Choice = <A extends string>({ label, options, value, onChange, isDisabled = false }: ChoiceProps<A>) => (
  <Select
    className="field"
    value={value}
    onChange={(chosen) => {
      const found = options.find(([one]) => one === chosen)
      if (found !== undefined) onChange(found[0])
    }}
    isDisabled={isDisabled}
  >
    <Label>{label}</Label>
    <Button className="select-button">
      <SelectValue /> <ChevronDown />
    </Button>
    <Popover className="popover">
      <ListBox>
        {options.map(([id, text]) => (
          <ListBoxItem key={id} id={id} className="option" textValue={text}>
            {text}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  </Select>
)
