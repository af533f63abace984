/** The name and the handle of the workspace, and its end. */
import { useState } from "react"
import { useLocation } from "wouter"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { type FieldCodes, FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { useAccount } from "../account/account-context.tsx"
import { Failure } from "../parts/failure.tsx"

const FIELDS = ["name", "slug"] as const
const CODES: FieldCodes = { slug_taken: { field: "slug", words: ({ host }) => host.slugTaken } }

const Rename = ({ workspaceId }: { readonly workspaceId: string }) => {
  const texts = useTexts()
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
      <Failure error={left} />
      <Button type="submit" isPending={isPending}>
        {texts.save}
      </Button>
    </FieldForm>
  )
}

const DELETION_FIELDS = ["slug"] as const
const DIFFERENT: FieldCodes = { conflict: { field: "slug", words: ({ host }) => host.slugDiffers } }

const Deletion = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useTexts()
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
      <Failure error={left} />
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
      {isOwner ? <Deletion workspaceId={workspaceId} /> : null}
    </>
  )
}
