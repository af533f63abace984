import type { FormEvent } from "react"

interface Props {
  readonly label: string
  readonly button: string
  readonly isPending: boolean
  /** Reason in words why the last text was refused. */
  readonly problem: string | null
  /** Resolves to whether the text was accepted. */
  readonly onText: (text: string) => Promise<boolean>
}

/** One line of text. A refused text stays in the form. */
export const TextForm = ({ label, button, isPending, problem, onText }: Props) => {
  const submit = (submitted: FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const form = submitted.currentTarget
    const text = String(new FormData(form).get("text")).trim()
    if (text === "") return
    void onText(text).then((isTaken) => {
      if (isTaken) form.reset()
    })
  }
  return (
    <form onSubmit={submit}>
      <label>
        {label} <input name="text" autoComplete="off" />
      </label>
      <button type="submit" disabled={isPending}>
        {button}
      </button>
      {problem === null ? null : <p role="alert">{problem}</p>}
    </form>
  )
}
