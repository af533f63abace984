/** One line of text. A text that was refused stays in the form. */
import { useState } from "react"
import { Form } from "react-aria-components"
import { Button } from "../ui/button.tsx"
import { TextField } from "../ui/fields.tsx"
import { Problem } from "../ui/notice.tsx"

export interface TextFormProps {
  readonly label: string
  readonly button: string
  readonly isPending: boolean
  /** Why the last text was refused. */
  readonly problem: string | null
  /** Resolves with whether the text was taken. */
  readonly onText: (text: string) => Promise<boolean>
}

export const TextForm = ({ label, button, isPending, problem, onText }: TextFormProps) => {
  const [text, write] = useState("")
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const sent = text.trim()
    if (sent === "") return
    // A text that is written while this one is under way stays.
    if (await onText(sent)) write((now) => (now === text ? "" : now))
  }
  return (
    <Form className="row text-form" onSubmit={(submitted) => void submit(submitted)}>
      <TextField label={label} value={text} onChange={write} autoComplete="off" maxLength={2000} />
      <Button type="submit" isPending={isPending}>
        {button}
      </Button>
      <Problem>{problem}</Problem>
    </Form>
  )
}
