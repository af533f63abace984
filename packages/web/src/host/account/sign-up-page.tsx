/** A new account with its first workspace. */
import { useLocation } from "wouter"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { type FieldCodes, FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { PageTitle } from "../parts/page-title.tsx"
import { useAccount } from "./account-context.tsx"
import { SignUpWay } from "./sign-up-way.tsx"

const FIELDS = ["name", "email", "password"] as const
const CODES: FieldCodes = { email_taken: { field: "email", words: ({ host }) => host.emailTaken } }

export const SignUpPage = () => {
  const { host } = useConsoleTexts()
  const [, navigate] = useLocation()
  const { enter } = useAccount()
  const { run, isPending, error } = useAction((payload: { name: string; email: string; password: string }) =>
    rest.signup({ payload }),
  )
  const { errors, left } = useFieldFaults(error, FIELDS, CODES)
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const fields = new FormData(submitted.currentTarget)
    const view = await run({
      name: String(fields.get("name")).trim(),
      email: String(fields.get("email")),
      password: String(fields.get("password")),
    })
    if (view === undefined) return
    enter(view)
    navigate("/", { replace: true })
  }
  return (
    <main className="page entry stack">
      <PageTitle>{host.signUp}</PageTitle>
      <SignUpWay>
        <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
          <TextField name="name" label={host.name} isRequired maxLength={200} autoComplete="name" />
          <TextField name="email" type="email" label={host.email} isRequired autoComplete="username" />
          <TextField
            name="password"
            type="password"
            label={host.password}
            hint={host.passwordHint}
            isRequired
            minLength={8}
            maxLength={256}
            autoComplete="new-password"
          />
          <FailureNotice error={left} />
          <Button type="submit" look="main" isPending={isPending}>
            {host.signUp}
          </Button>
        </FieldForm>
      </SignUpWay>
      <p>
        <PageLink to="/">{host.signIn}</PageLink>
      </p>
    </main>
  )
}
