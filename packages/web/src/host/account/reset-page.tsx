/** Requests the email with which a new password is set. */

import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button, LinkButton } from "../../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { Notice } from "../../ui/notice.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { PageTitle } from "../parts/page-title.tsx"

const FIELDS = ["email"] as const

export const ResetPage = () => {
  const { host } = useConsoleTexts()
  const [answer, asked] = useState<{ readonly resetUrl?: string } | undefined>(undefined)
  const { run, isPending, error } = useAction((email: string) => rest.requestPasswordReset({ payload: { email } }))
  const { errors, left } = useFieldFaults(error, FIELDS)
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    asked(await run(String(new FormData(submitted.currentTarget).get("email"))))
  }
  return (
    <main className="page entry stack">
      <PageTitle>{host.newPassword}</PageTitle>
      <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
        <TextField name="email" type="email" label={host.email} isRequired autoComplete="username" />
        <FailureNotice error={left} />
        <Button type="submit" look="main" isPending={isPending}>
          {host.sendEmail}
        </Button>
      </FieldForm>
      {answer === undefined ? null : <Notice>{host.emailSent}</Notice>}
      {/* In development no email is sent. */}
      {answer?.resetUrl === undefined ? null : <LinkButton href={answer.resetUrl}>{host.newPassword}</LinkButton>}
      <p>
        <PageLink to="/">{host.signIn}</PageLink>
      </p>
    </main>
  )
}
