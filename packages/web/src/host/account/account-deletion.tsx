/** Deletes the account after its password is confirmed. The only owner of a workspace must first transfer or delete it. */
import { type AccountView, RestProblem } from "@gathercue/client"
import { useState } from "react"
import { useLocation } from "wouter"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { type FieldCodes, FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { useAccount } from "./account-context.tsx"

const FIELDS = ["password"] as const
const WRONG_PASSWORD: FieldCodes = {
  forbidden: { field: "password", words: ({ host }) => host.account.wrongPassword },
}

export const AccountDeletion = ({ workspaces }: Pick<AccountView, "workspaces">) => {
  const { host } = useConsoleTexts()
  const { expire } = useAccount()
  const [, navigate] = useLocation()
  const [password, write] = useState("")
  const { run, isPending, error } = useAction(() =>
    rest.deleteAccount({ payload: { password: password === "" ? null : password } }).then(() => true),
  )
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await run()) !== true) return
    navigate("/", { replace: true })
    expire()
  }
  const isOnlyOwner = error instanceof RestProblem && error.code === "conflict"
  const { errors, left } = useFieldFaults(error, FIELDS, WRONG_PASSWORD)
  return (
    <FieldForm className="panel stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <h2>{host.account.deletion}</h2>
      <p>{host.account.deletionQuestion}</p>
      <TextField
        name="password"
        type="password"
        label={host.account.passwordAgain}
        hint={host.account.passwordAgainHint}
        value={password}
        onChange={write}
        autoComplete="current-password"
      />
      <FailureNotice error={left} words={{ conflict: host.account.onlyOwner }} />
      {isOnlyOwner ? (
        <ul className="rows">
          {workspaces
            .filter(({ role }) => role === "owner")
            .map(({ id, name }) => (
              <li key={id}>
                <PageLink to={`/workspace/${id}/members`}>{name}</PageLink>
              </li>
            ))}
        </ul>
      ) : null}
      <div className="row">
        <Button type="submit" look="danger" isPending={isPending}>
          {host.account.deletion}
        </Button>
      </div>
    </FieldForm>
  )
}
