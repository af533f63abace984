/** Fields of forms, each with its label and, beside it, its error. */
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Button,
  Checkbox,
  type CheckboxProps,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Text,
  TextArea,
} from "react-aria-components"

export interface TextFieldProps extends Omit<AriaTextFieldProps, "className" | "children"> {
  readonly label: string
  readonly hint?: string
  /** Lines of a longer text. */
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

export const CheckField = ({
  children,
  ...rest
}: Omit<CheckboxProps, "className" | "children"> & { readonly children: React.ReactNode }) => (
  <Checkbox {...rest} className="check">
    {({ isSelected }) => (
      <>
        <span className="check-box" aria-hidden="true">
          {isSelected ? "✓" : ""}
        </span>
        {children}
      </>
    )}
  </Checkbox>
)

export interface ChoiceProps<A extends string> {
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: A, text: string]>
  readonly value: A
  readonly onChange: (value: A) => void
  readonly isDisabled?: boolean
}

/** One of a few values. */
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
      <SelectValue /> <span aria-hidden="true">▾</span>
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
