/** Fields of one question of a form. */
import { useConsoleTexts } from "../../texts/language.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { TextField } from "../../ui/fields.tsx"
import { NumberField } from "../parts/number-field.tsx"
import { AUDIENCES, type FormQuestion, hasOptions, KINDS } from "./question-draft.ts"

interface Props {
  /** Place of the question, starting at 0. */
  readonly index: number
  readonly question: FormQuestion
  /** Whether the question may be for some people alone. */
  readonly hasAudience: boolean
  readonly onChange: (question: FormQuestion) => void
}

const LARGEST = 1e12

export const QuestionFields = ({ index, question, hasAudience, onChange }: Props) => {
  const { forms } = useConsoleTexts().host
  const number = index + 1
  const within = `questions.${index}.`
  const change = (fields: Partial<FormQuestion>) => onChange({ ...question, ...fields })
  const bound = (name: "minimum" | "maximum") => (
    <NumberField
      name={within + name}
      label={forms[name](number)}
      value={question[name] ?? undefined}
      onChange={(value) => change({ [name]: value ?? null })}
      minimum={-LARGEST}
      maximum={LARGEST}
      fractionDigits={3}
    />
  )
  return (
    <>
      <TextField
        name={`${within}text`}
        label={forms.question(number)}
        lines={question.kind === "consent" ? 4 : 1}
        value={question.text}
        onChange={(text) => change({ text })}
        isRequired
        maxLength={2000}
      />
      <Choice
        label={forms.kind(number)}
        options={KINDS.map((kind) => [kind, forms.kinds[kind]] as const)}
        value={question.kind}
        onChange={(kind) => change({ kind })}
      />
      {hasOptions(question) ? (
        <TextField
          name={`${within}options`}
          label={forms.options(number)}
          lines={4}
          value={question.options.join("\n")}
          onChange={(text) => change({ options: text.split("\n") })}
          isRequired
        />
      ) : null}
      {question.kind === "number" ? (
        <>
          {bound("minimum")}
          {bound("maximum")}
        </>
      ) : null}
      {hasAudience ? (
        <Choice
          label={forms.audience(number)}
          options={AUDIENCES.map((audience) => [audience, forms.audiences[audience]] as const)}
          value={question.audience}
          onChange={(audience) => change({ audience })}
        />
      ) : null}
      <CheckField isSelected={question.required} onChange={(required) => change({ required })}>
        {forms.required(number)}
      </CheckField>
    </>
  )
}
