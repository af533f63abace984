/** Administrative acts in the workspace, newest first. */
import { rest } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { usePages } from "../../api/use-pages.ts"
import { useFormats, useTexts } from "../../texts/language.tsx"
import { Paged } from "../parts/paged.tsx"

export const AuditPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useTexts()
  const { moment } = useFormats()
  const members = useLoaded(workspaceId, () => rest.listMembers({ params: { id: workspaceId } }))
  const pages = usePages(workspaceId, async (cursor) => {
    const page = await rest.listAudit({
      params: { id: workspaceId },
      query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) },
    })
    if (typeof page === "string") throw new Error("the list is CSV")
    return { items: page.entries, nextCursor: page.nextCursor }
  })
  const nameOf = (id: string): string => members.value?.members.find(({ accountId }) => accountId === id)?.name ?? id
  return (
    <section className="stack" aria-label={host.audit}>
      <h2>{host.audit}</h2>
      <Paged pages={pages} empty={host.noAudit}>
        {(entries) => (
          // A scrolling region has to be reachable by keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: as said.
          <section className="wide" tabIndex={0} aria-label={host.audit}>
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">{host.when}</th>
                  <th scope="col">{host.what}</th>
                  <th scope="col">{host.who}</th>
                  <th scope="col">{host.about}</th>
                  <th scope="col">{host.origin}</th>
                </tr>
              </thead>
              <tbody>
                {entries.map(({ id, action, actor, targetId, createdAt, address, client }) => (
                  <tr key={id}>
                    <td>{moment(createdAt)}</td>
                    <td>{action}</td>
                    <td>
                      {host.actors[actor.kind]} {nameOf(actor.id)}
                    </td>
                    <td>{targetId}</td>
                    <td>{[address, client].filter((part) => part !== null).join(", ")}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </Paged>
    </section>
  )
}
