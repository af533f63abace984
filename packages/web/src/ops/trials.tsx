/** Sends a test email or webhook for the operator, and shows the result. */
import { RestProblem } from "@gathercue/client"
import { useState } from "react"
import { testMail, testWebhook } from "../api/platform.ts"
import { useAction } from "../api/use-action.ts"
import { useConsoleTexts, useFormats } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../ui/field-form.tsx"
import { TextField } from "../ui/fields.tsx"
import { Notice, ProblemNotice } from "../ui/notice.tsx"

interface TrialProps {
  readonly title: string
  readonly name: string
  readonly type: "email" | "url"
  readonly label: string
  readonly hint: string
  readonly verb: string
  /** Resolves to sentences about the result. */
  readonly send: (value: string) => Promise<{ readonly problem: string | null; readonly done: string }>
}

const Trial = ({ title, name, type, label, hint, verb, send }: TrialProps) => {
  const texts = useConsoleTexts()
  const [result, show] = useState<Awaited<ReturnType<TrialProps["send"]>> | null>(null)
  const { run, isPending, error } = useAction(async (value: string) => show(await send(value)))
  const [names] = useState([name])
  const { errors, left } = useFieldFaults(error, names)
  const submit = (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    show(null)
    void run(String(new FormData(submitted.currentTarget).get(name)).trim())
  }
  // The server's own sentence names the missing setting.
  const failure = left instanceof RestProblem && left.code === "conflict" ? left.message : whyFailed(texts, left)
  return (
    <section className="panel stack" aria-label={title}>
      <h2>{title}</h2>
      <FieldForm className="stack page-narrow" errors={errors} onSubmit={submit}>
        <TextField name={name} type={type} label={label} hint={hint} isRequired autoComplete="off" />
        <div className="row">
          <Button type="submit" isDisabled={isPending}>
            {verb}
          </Button>
        </div>
      </FieldForm>
      <ProblemNotice>{failure ?? result?.problem ?? null}</ProblemNotice>
      {isPending && <p role="status">{texts.loading}</p>}
      {result !== null && result.problem === null && <Notice>{result.done}</Notice>}
    </section>
  )
}

export const Trials = ({ platformKey }: { readonly platformKey: string }) => {
  const { ops } = useConsoleTexts()
  const { number } = useFormats()
  return (
    <>
      <Trial
        title={ops.mailTest}
        name="to"
        type="email"
        label={ops.mailTo}
        hint={ops.mailToHint}
        verb={ops.sendEmail}
        send={async (to) => {
          const { problem, durationMs } = await testMail(platformKey, to)
          return { problem, done: ops.emailTaken(number(durationMs)) }
        }}
      />
      <Trial
        title={ops.webhookTest}
        name="url"
        type="url"
        label={ops.webhookUrl}
        hint={ops.webhookUrlHint}
        verb={ops.sendPing}
        send={async (url) => {
          const { status, problem, durationMs, secret } = await testWebhook(platformKey, url)
          return { problem, done: ops.pingTaken(String(status), number(durationMs), secret) }
        }}
      />
    </>
  )
}
