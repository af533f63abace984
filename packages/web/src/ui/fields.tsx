/** A form field with its label and, beside it, its error. */
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from "react-aria-components"

interface TextFieldProps extends Omit<AriaTextFieldProps, "className" | "children"> {
  readonly label: string
  readonly hint?: string
  /** Number of lines of a longer text. */
  readonly lines?: number
}

export const TextField = ({ label, hint, lines, ...rest }: TextFieldProps) => (
  <AriaTextField {...rest} className="field">
    <Label>{label}</Label>
    {lines === undefined ? <Input /> : <TextArea rows={lines} />}
    {hint === undefined ? null : (
      <Text slot="description" className="quiet">
        {hint}
      </Text>
    )}
    <FieldError className="field-error" />
  </AriaTextField>
)
