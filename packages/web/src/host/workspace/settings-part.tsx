/** Name and handle of the workspace, its branding, its second-factor rule, and its deletion. */
import { useState } from "react"
import { useLocation } from "wouter"
import { rest, SERVER } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { type FieldCodes, FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { useAccount } from "../account/account-context.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { BrandingPart } from "./branding-part.tsx"
import { ConnectionsPart } from "./connections-part.tsx"

const FIELDS = ["name", "slug"] as const
const CODES: FieldCodes = { slug_taken: { field: "slug", words: ({ host }) => host.slugTaken } }

const Rename = ({ workspaceId }: { readonly workspaceId: string }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const { view, reload } = useAccount()
  const workspace = view?.workspaces.find(({ id }) => id === workspaceId)
  const [name, write] = useState(workspace?.name ?? "")
  const [slug, writeSlug] = useState(workspace?.slug ?? "")
  const { run, isPending, error } = useAction(() =>
    rest.patchWorkspace({ params: { id: workspaceId }, payload: { name: name.trim(), slug: slug.trim() } }),
  )
  const { errors, left } = useFieldFaults(error, FIELDS, CODES)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await run()) !== undefined) reload()
  }
  return (
    <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <TextField name="name" label={host.name} value={name} onChange={write} isRequired maxLength={200} />
      <TextField name="slug" label={host.slug} value={slug} onChange={writeSlug} isRequired />
      <FailureNotice error={left} />
      <Button type="submit" isPending={isPending}>
        {texts.save}
      </Button>
    </FieldForm>
  )
}

const RequireMfa = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { view, reload } = useAccount()
  const isRequired = view?.workspaces.find(({ id }) => id === workspaceId)?.requireMfa ?? false
  const { run, isPending, error } = useAction((requireMfa: boolean) =>
    rest.patchWorkspace({ params: { id: workspaceId }, payload: { requireMfa } }),
  )
  return (
    <section className="panel stack" aria-label={host.mfa.title}>
      <h2>{host.mfa.title}</h2>
      <CheckField
        isSelected={isRequired}
        isDisabled={isPending}
        onChange={(wanted) => void run(wanted).then((done) => done && reload())}
      >
        {host.mfa.require}
      </CheckField>
      <p className="quiet">{host.mfa.requireHint}</p>
      <FailureNotice error={error} words={{ mfa_required: host.mfa.setUpFirst }} />
    </section>
  )
}

const PublicList = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { view, reload } = useAccount()
  const { publicList = false, slug = "" } = view?.workspaces.find(({ id }) => id === workspaceId) ?? {}
  const { run, isPending, error } = useAction((wanted: boolean) =>
    rest.patchWorkspace({ params: { id: workspaceId }, payload: { publicList: wanted } }),
  )
  return (
    <section className="panel stack" aria-label={host.publicList}>
      <h2>{host.publicList}</h2>
      <CheckField
        isSelected={publicList}
        isDisabled={isPending}
        onChange={(wanted) => void run(wanted).then((done) => done && reload())}
      >
        {host.showPublicList}
      </CheckField>
      {publicList ? <CopyField label={host.publicListLink} value={`${SERVER}/w/${slug}`} /> : null}
      <FailureNotice error={error} />
    </section>
  )
}

const DELETION_FIELDS = ["slug"] as const
const DIFFERENT: FieldCodes = { conflict: { field: "slug", words: ({ host }) => host.slugDiffers } }

const Deletion = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { reload } = useAccount()
  const [, navigate] = useLocation()
  const [slug, write] = useState("")
  const { run, isPending, error } = useAction(() =>
    rest.deleteWorkspace({ params: { id: workspaceId }, payload: { slug: slug.trim() } }).then(() => true),
  )
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await run()) !== true) return
    reload()
    navigate("/workspaces")
  }
  const { errors, left } = useFieldFaults(error, DELETION_FIELDS, DIFFERENT)
  return (
    <FieldForm className="panel stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <h2>{host.deleteWorkspace}</h2>
      <p>{host.deleteWorkspaceQuestion}</p>
      <TextField name="slug" label={host.slugAgain} value={slug} onChange={write} isRequired autoComplete="off" />
      <FailureNotice error={left} />
      <Button type="submit" look="danger" isPending={isPending}>
        {host.deleteWorkspace}
      </Button>
    </FieldForm>
  )
}

export const SettingsPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { view } = useAccount()
  const isOwner = view?.workspaces.find(({ id }) => id === workspaceId)?.role === "owner"
  return (
    <>
      <Rename workspaceId={workspaceId} />
      <BrandingPart workspaceId={workspaceId} />
      <PublicList workspaceId={workspaceId} />
      <RequireMfa workspaceId={workspaceId} />
      {isOwner ? <ConnectionsPart workspaceId={workspaceId} /> : null}
      {isOwner ? <Deletion workspaceId={workspaceId} /> : null}
    </>
  )
}
