/** The name and the handle of the workspace, and its end. */
import { useState } from "react"
import { Form } from "react-aria-components"
import { useLocation } from "wouter"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { useAccount } from "../account/account-context.tsx"
import { Failure } from "../parts/failure.tsx"
import { useFieldErrors } from "../parts/use-field-errors.ts"

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
  const { errors, rest: failure } = useFieldErrors(error, [{ code: "slug_taken", field: "slug", text: host.slugTaken }])
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await run()) !== undefined) reload()
  }
  return (
    <Form className="stack" validationErrors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <TextField label={host.name} value={name} onChange={write} isRequired maxLength={200} />
      <TextField name="slug" label={host.slug} value={slug} onChange={writeSlug} isRequired />
      <Failure error={failure} />
      <Button type="submit" isPending={isPending}>
        {texts.save}
      </Button>
    </Form>
  )
}

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
  const { errors, rest: failure } = useFieldErrors(error, [
    { code: "conflict", field: "slugAgain", text: host.slugDiffers },
  ])
  return (
    <Form className="panel stack" validationErrors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <h2>{host.deleteWorkspace}</h2>
      <p>{host.deleteWorkspaceQuestion}</p>
      <TextField name="slugAgain" label={host.slugAgain} value={slug} onChange={write} isRequired autoComplete="off" />
      <Failure error={failure} />
      <Button type="submit" look="danger" isPending={isPending}>
        {host.deleteWorkspace}
      </Button>
    </Form>
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
