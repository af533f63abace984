/** How the events of the workspace look where they have no branding of their own. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { useAccount } from "../account/account-context.tsx"
import { BrandingFields, brandingOf, brandingValuesOf, NO_BRANDING } from "../parts/branding-fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { SaveRow } from "../parts/save-row.tsx"

const FIELDS = ["branding.accent", "branding.logoUrl", "branding.coverUrl"] as const
const NOTHING = { logoUrl: null, accent: null, theme: null }

export const BrandingPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { view, reload } = useAccount()
  const stored = view?.workspaces.find(({ id }) => id === workspaceId)?.branding
  const [values, change] = useState(() => (stored === undefined ? NO_BRANDING : brandingValuesOf(stored)))
  const [coverUrl, writeCover] = useState(stored?.coverUrl ?? "")
  const [isSaved, saved] = useState(false)
  const { run, isPending, error } = useAction(() => {
    const given = brandingOf(values)
    const cover = coverUrl.trim() || null
    const branding = given === null && cover === null ? null : { ...(given ?? NOTHING), coverUrl: cover }
    return rest.patchWorkspace({ params: { id: workspaceId }, payload: { branding } })
  })
  const { errors, left } = useFieldFaults(error, FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    saved(false)
    if ((await run()) === undefined) return
    saved(true)
    reload()
  }
  return (
    <FieldForm
      className="panel stack"
      aria-label={host.branding.title}
      errors={errors}
      onSubmit={(submitted) => void submit(submitted)}
    >
      <h2>{host.branding.title}</h2>
      <BrandingFields
        path="branding"
        values={values}
        onChange={(part) => change((newest) => ({ ...newest, ...part }))}
      />
      <TextField
        name="branding.coverUrl"
        label={host.coverUrl}
        hint={host.branding.coverUrlHint}
        value={coverUrl}
        onChange={writeCover}
        maxLength={2048}
      />
      <FailureNotice error={left} />
      <SaveRow isPending={isPending} isSaved={isSaved} />
    </FieldForm>
  )
}
