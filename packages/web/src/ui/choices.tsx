/** A question with its answers, one or several of which can be chosen. */
import { CheckboxGroup, FieldError, Label, Radio, RadioGroup } from "react-aria-components"
import { CheckField } from "./check-field.tsx"
import "./choices.css"

interface Option {
  readonly id: string
  readonly text: string
}

interface Props {
  readonly label: string
  readonly options: ReadonlyArray<Option>
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
  readonly isDisabled?: boolean
  readonly name?: string
  readonly isRequired?: boolean
}

/** `isRow` places the answers side by side, like the numbers of a scale. */
export const OneOf = ({
  label,
  options,
  value,
  onChange,
  isDisabled = false,
  isRow = false,
  ...rest
}: Props & { isRow?: boolean }) => (
  <RadioGroup
    {...rest}
    className="choices"
    value={value[0] ?? null}
    onChange={(chosen) => onChange([chosen])}
    isDisabled={isDisabled}
    orientation={isRow ? "horizontal" : "vertical"}
  >
    <Label>{label}</Label>
    <div className={isRow ? "row" : "stack-close"}>
      {options.map(({ id, text }) => (
        <Radio key={id} value={id} className="check radio">
          {({ isSelected }) => (
            <>
              <span className="check-box" aria-hidden="true">
                {isSelected ? "●" : ""}
              </span>
              {text}
            </>
          )}
        </Radio>
      ))}
    </div>
    <FieldError className="field-error" />
  </RadioGroup>
)

export const SomeOf = ({ label, options, value, onChange, isDisabled = false, ...rest }: Props) => (
  <CheckboxGroup {...rest} className="choices" value={[...value]} onChange={onChange} isDisabled={isDisabled}>
    <Label>{label}</Label>
    <div className="stack-close">
      {options.map(({ id, text }) => (
        <CheckField key={id} value={id}>
          {text}
        </CheckField>
      ))}
    </div>
    <FieldError className="field-error" />
  </CheckboxGroup>
)
