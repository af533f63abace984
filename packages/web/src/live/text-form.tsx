/** One line of text. A refused text stays in the form. */
import { Form } from "react-aria-components"
import { Button } from "../ui/button.tsx"
import { TextField } from "../ui/fields.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { useDraft } from "./drafts.ts"
import "./live.css"

interface TextFormProps {
  readonly label: string
  readonly button: string
  readonly isPending: boolean
  /** Reason why the last text was refused. */
  readonly problem: string | null
  /** Resolves to whether the text was accepted. */
  readonly onText: (text: string) => Promise<boolean>
  readonly maxLength?: number
  readonly hint?: string
  /** Name under which an unsent text is kept when the form is removed. */
  readonly draft?: string
  /** Content between the field and the button. */
  readonly children?: React.ReactNode
}

const LONGEST = 2000

export const TextForm = ({
  label,
  button,
  isPending,
  problem,
  onText,
  maxLength = LONGEST,
  hint,
  draft,
  children,
}: TextFormProps) => {
  const { text, write, sent } = useDraft(draft)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const trimmed = text.trim()
    if (trimmed !== "" && (await onText(trimmed))) sent(text)
  }
  return (
    <Form className="row text-form" onSubmit={(submitted) => void submit(submitted)}>
      <TextField
        label={label}
        value={text}
        onChange={write}
        autoComplete="off"
        maxLength={maxLength}
        {...(hint === undefined ? {} : { hint })}
      />
      {children}
      <Button type="submit" isPending={isPending}>
        {button}
      </Button>
      <ProblemNotice>{problem}</ProblemNotice>
    </Form>
  )
}
