/** Templates of the workspace, each with its page, where it is changed and deleted. */
import { useLoaded } from "../../api/use-loaded.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { PageLink } from "../parts/page-link.tsx"

export const OwnTemplates = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { value } = useLoaded(workspaceId, () => restOf(workspaceId).listTemplates())
  if (value === undefined || value.templates.length === 0) return null
  return (
    <>
      <h2>{host.ownTemplates}</h2>
      <ul className="rows" aria-label={host.ownTemplates}>
        {value.templates.map(({ id, name }) => (
          <li key={id}>
            <PageLink to={`/event/${id}`}>{name}</PageLink>
          </li>
        ))}
      </ul>
    </>
  )
}
