/** The workspaces of the account, and a new one. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { type FieldCodes, FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { Notice } from "../../ui/notice.tsx"
import { useAccount } from "../account/account-context.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { PageTitle } from "../parts/page-title.tsx"

const FIELDS = ["name", "slug"] as const
const CODES: FieldCodes = { slug_taken: { field: "slug", words: ({ host }) => host.slugTaken } }

const NewWorkspace = () => {
  const { host } = useConsoleTexts()
  const { reload } = useAccount()
  const [name, write] = useState("")
  const [slug, writeSlug] = useState("")
  const { run, isPending, error } = useAction(() =>
    rest.createWorkspace({ payload: { name: name.trim(), ...(slug.trim() === "" ? {} : { slug: slug.trim() }) } }),
  )
  const [secret, show] = useState<string | undefined>(undefined)
  const { errors, left } = useFieldFaults(error, FIELDS, CODES)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await run()
    if (made === undefined) return
    show(made.apiKey.secret)
    write("")
    writeSlug("")
    reload()
  }
  return (
    <section className="panel stack" aria-label={host.newWorkspace}>
      <h2>{host.newWorkspace}</h2>
      <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
        <TextField name="name" label={host.name} value={name} onChange={write} isRequired maxLength={200} />
        <TextField name="slug" label={host.slug} hint={host.slugHint} value={slug} onChange={writeSlug} />
        <FailureNotice error={left} />
        <Button type="submit" isPending={isPending}>
          {host.create}
        </Button>
      </FieldForm>
      {secret === undefined ? null : (
        <>
          <Notice>{host.secretOnce}</Notice>
          <CopyField label={host.keySecret} value={secret} />
        </>
      )}
    </section>
  )
}

export const WorkspacesPage = () => {
  const { host } = useConsoleTexts()
  const { view } = useAccount()
  return (
    <>
      <PageTitle>{host.workspaces}</PageTitle>
      <ul className="rows">
        {(view?.workspaces ?? []).map(({ id, name, slug, role }) => (
          <li key={id}>
            <PageLink to={`/workspace/${id}`}>{name}</PageLink>{" "}
            <span className="quiet">
              {slug}, {host.workspaceRoles[role]}
            </span>
          </li>
        ))}
      </ul>
      <NewWorkspace />
    </>
  )
}
