/** Optional number. */
import { NumberField as AriaNumberField, FieldError, Input, Label, Text } from "react-aria-components"

interface NumberFieldProps {
  readonly name?: string
  readonly label: string
  readonly hint?: string
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
  readonly minimum: number
  readonly maximum: number
  /** 0 for whole numbers. */
  readonly fractionDigits?: number
  readonly isDisabled?: boolean
}

export const NumberField = ({
  name,
  label,
  hint,
  value,
  onChange,
  minimum,
  maximum,
  fractionDigits = 0,
  isDisabled = false,
}: NumberFieldProps) => (
  <AriaNumberField
    className="field"
    {...(name === undefined ? {} : { name })}
    value={value ?? Number.NaN}
    onChange={(next) => onChange(Number.isNaN(next) ? undefined : next)}
    minValue={minimum}
    maxValue={maximum}
    isDisabled={isDisabled}
    formatOptions={{ maximumFractionDigits: fractionDigits, useGrouping: false }}
  >
    <Label>{label}</Label>
    <Input />
    {hint === undefined ? null : (
      <Text slot="description" className="quiet">
        {hint}
      </Text>
    )}
    <FieldError className="field-error" />
  </AriaNumberField>
)
