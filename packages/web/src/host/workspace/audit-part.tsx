/** Administrative acts in the workspace, newest first. */
import { rest } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { WideTable } from "../../ui/wide-table.tsx"
import { Paged } from "../parts/paged.tsx"

export const AuditPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const members = useLoaded(workspaceId, () => rest.listMembers({ params: { id: workspaceId } }))
  const pages = usePages(workspaceId, "entries", (at) =>
    rest.listAudit({
      params: { id: workspaceId },
      query: { limit: 50, ...at },
    }),
  )
  const nameOf = (id: string): string => members.value?.members.find(({ accountId }) => accountId === id)?.name ?? id
  return (
    <section className="stack" aria-label={host.audit}>
      <h2>{host.audit}</h2>
      <Paged pages={pages} empty={host.noAudit}>
        {(entries) => (
          <WideTable
            title={host.audit}
            heads={[host.when, host.what, host.who, host.about, host.origin]}
            rows={entries.map(({ id, action, actor, targetId, createdAt, address, client }) => ({
              key: id,
              cells: [
                moment(createdAt),
                action,
                `${host.actors[actor.kind]} ${nameOf(actor.id)}`,
                targetId,
                [address, client].filter((part) => part !== null).join(", "),
              ],
            }))}
          />
        )}
      </Paged>
    </section>
  )
}
