/** The questions of a form as fields. */
import { CheckField } from "../ui/check-field.tsx"
import { OneOf, SomeOf } from "../ui/choices.tsx"
import { TextField } from "../ui/fields.tsx"
import { type FieldValue, type FieldValues, type FormQuestion, fieldOf } from "./answers.ts"

interface Props {
  readonly questions: ReadonlyArray<FormQuestion>
  readonly values: FieldValues
  readonly onChange: (values: FieldValues) => void
}

const LINES = 4
const TYPES: { readonly [kind: string]: string } = { number: "number", date: "date" }
const LIMITS: { readonly [kind: string]: number } = { text: 500, longText: 5000 }

const AnswerField = ({
  question: { id, kind, text, options, required },
  value,
  onChange,
}: {
  readonly question: FormQuestion
  readonly value: FieldValue | undefined
  readonly onChange: (value: FieldValue) => void
}) => {
  const common = { name: fieldOf(id), label: text, isRequired: required }
  const offered = options.map((option) => ({ id: option, text: option }))
  const one = typeof value === "string" ? value : ""
  switch (kind) {
    case "choice":
      return <OneOf {...common} options={offered} value={[one]} onChange={([chosen = ""]) => onChange(chosen)} />
    case "choices":
      return <SomeOf {...common} options={offered} value={Array.isArray(value) ? value : []} onChange={onChange} />
    case "checkbox":
    case "consent":
      return (
        <CheckField name={common.name} isRequired={required} isSelected={value === true} onChange={onChange}>
          {text}
        </CheckField>
      )
    default:
      return (
        <TextField
          {...common}
          value={one}
          onChange={onChange}
          {...(kind === "longText" ? { lines: LINES } : { type: TYPES[kind] ?? "text" })}
          {...(kind in LIMITS ? { maxLength: LIMITS[kind] ?? 0 } : {})}
        />
      )
  }
}

export const AnswerFields = ({ questions, values, onChange }: Props) =>
  questions.map((question) => (
    <AnswerField
      key={question.id}
      question={question}
      value={values[question.id]}
      onChange={(value) => onChange({ ...values, [question.id]: value })}
    />
  ))
