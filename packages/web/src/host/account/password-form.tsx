/** Changes the password. An account without one, or a person who does not know it, gets an email with a link to set one. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button, LinkButton } from "../../ui/button.tsx"
import { type FieldCodes, FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"

const ConfirmationEmail = ({ email }: { readonly email: string }) => {
  const { host } = useConsoleTexts()
  const [answer, asked] = useState<{ readonly resetUrl?: string } | undefined>(undefined)
  const { run, isPending, error } = useAction(() => rest.requestPasswordReset({ payload: { email } }))
  return (
    <>
      <p className="quiet">{host.account.noPassword}</p>
      <FailureNotice error={error} />
      <div className="row">
        <Button isPending={isPending} onPress={() => void run().then(asked)}>
          {host.sendEmail}
        </Button>
        {/* In development no email is sent. */}
        {answer?.resetUrl === undefined ? null : <LinkButton href={answer.resetUrl}>{host.newPassword}</LinkButton>}
        <span role="status">{answer === undefined ? "" : host.emailOut}</span>
      </div>
    </>
  )
}

const FIELDS = ["currentPassword", "password"] as const
const CODES: FieldCodes = {
  forbidden: { field: "currentPassword", words: ({ host }) => host.account.wrongPassword },
}

export const PasswordForm = ({ email, onChange }: { readonly email: string; readonly onChange: () => void }) => {
  const { host } = useConsoleTexts()
  const [currentPassword, writeCurrent] = useState("")
  const [password, write] = useState("")
  const [isChanged, changed] = useState(false)
  const { run, isPending, error } = useAction(() => rest.changePassword({ payload: { currentPassword, password } }))
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    changed(false)
    if ((await run()) === undefined) return
    writeCurrent("")
    write("")
    changed(true)
    onChange()
  }
  const { errors, left } = useFieldFaults(error, FIELDS, CODES)
  return (
    <section className="panel stack" aria-label={host.account.password}>
      <h2>{host.account.password}</h2>
      <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
        <TextField
          name="currentPassword"
          type="password"
          label={host.account.currentPassword}
          value={currentPassword}
          onChange={writeCurrent}
          isRequired
          autoComplete="current-password"
        />
        <TextField
          name="password"
          type="password"
          label={host.newPassword}
          hint={host.passwordHint}
          value={password}
          onChange={write}
          isRequired
          minLength={8}
          maxLength={256}
          autoComplete="new-password"
        />
        <FailureNotice error={left} />
        <div className="row">
          <Button type="submit" isPending={isPending}>
            {host.account.password}
          </Button>
          <span role="status">{isChanged ? host.account.passwordChanged : ""}</span>
        </div>
      </FieldForm>
      <ConfirmationEmail email={email} />
    </section>
  )
}
