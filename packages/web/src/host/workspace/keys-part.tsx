/** API keys of servers. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { SomeOf } from "../../ui/choices.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { MomentField } from "../parts/moment-field.tsx"
import { Paged } from "../parts/paged.tsx"
import { SecretShown } from "./secret-shown.tsx"

const KEY_FIELDS = ["name", "expiresAt"] as const
const SCOPES = ["read", "events:write", "live", "people", "media", "webhooks", "admin"] as const
type Scope = (typeof SCOPES)[number]
const YEAR_MS = 365 * 86_400_000

const isScope = (id: string): id is Scope => SCOPES.some((scope) => scope === id)

const NewKey = ({ workspaceId, onMade }: { readonly workspaceId: string; readonly onMade: () => void }) => {
  const { host } = useConsoleTexts()
  const [name, write] = useState("")
  const [expiresAt, expire] = useState<string | null>(() => new Date(Date.now() + YEAR_MS).toISOString())
  const [scopes, choose] = useState<ReadonlyArray<Scope>>(SCOPES)
  const [secret, show] = useState<string | undefined>(undefined)
  const { run, isPending, error } = useAction(() =>
    rest.createApiKey({
      params: { id: workspaceId },
      payload: { name: name.trim() === "" ? null : name.trim(), expiresAt, scopes },
    }),
  )
  const { errors, left } = useFieldFaults(error, KEY_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await run()
    if (made === undefined) return
    show(made.secret)
    write("")
    onMade()
  }
  return (
    <>
      <FieldForm className="row text-form" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
        <TextField name="name" label={host.name} value={name} onChange={write} maxLength={200} autoComplete="off" />
        <MomentField name="expiresAt" label={host.expires} value={expiresAt} onChange={expire} />
        <SomeOf
          label={host.keyScopes}
          options={SCOPES.map((id) => ({ id, text: host.keyScope[id] }))}
          value={scopes}
          onChange={(ids) => choose(ids.filter(isScope))}
        />
        <Button type="submit" isPending={isPending} isDisabled={scopes.length === 0}>
          {host.newKey}
        </Button>
        <FailureNotice error={left} />
      </FieldForm>
      <SecretShown label={host.keySecret} secret={secret} />
    </>
  )
}

export const KeysPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const pages = usePages(workspaceId, "apiKeys", (at) =>
    rest.listApiKeys({
      params: { id: workspaceId },
      query: at,
    }),
  )
  const { run, isPending, error } = useAction((keyId: string) =>
    rest.deleteApiKey({ params: { id: workspaceId, keyId } }).then(() => true),
  )
  return (
    <section className="stack" aria-label={host.keys}>
      <h2>{host.keys}</h2>
      <NewKey workspaceId={workspaceId} onMade={pages.reload} />
      <Paged pages={pages} empty={host.noKeys}>
        {(keys) => (
          <ul className="rows" aria-label={host.keys}>
            {keys.map(({ id, name, prefix, last4, status, lastUsedAt, scopes }) => {
              const title = name ?? `${prefix}…${last4}`
              const act = status === "active" ? host.revoke : host.removeForGood
              return (
                <li key={id} className="row row-apart">
                  <span>
                    {title}{" "}
                    <span className="quiet">
                      {prefix}…{last4}, {host.keyStatus[status]},{" "}
                      {lastUsedAt === null ? host.neverUsed : host.lastUsed(moment(lastUsedAt))}
                      {scopes.length === SCOPES.length
                        ? ""
                        : `, ${scopes.map((scope) => host.keyScope[scope]).join(", ")}`}
                    </span>
                  </span>
                  <ConfirmButton
                    label={act}
                    name={title}
                    question={status === "active" ? host.revokeKeyQuestion : host.removeKeyQuestion}
                    isPending={isPending}
                    error={error}
                    onConfirm={async () => {
                      const isDone = (await run(id)) === true
                      if (isDone) pages.reload()
                      return isDone
                    }}
                  />
                </li>
              )
            })}
          </ul>
        )}
      </Paged>
    </section>
  )
}
