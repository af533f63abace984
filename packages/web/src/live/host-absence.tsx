/** The measure in force because no host is there, and the place of forms that it closes. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"

export const HostAbsence = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const measure = useEvent(client, ({ hostAbsence }) => hostAbsence?.measure ?? null) ?? null
  // The element is there before a measure comes: only then a screen reader says it.
  return <div role="status">{measure === null ? null : <p className="notice">{live.hostAbsence[measure]}</p>}</div>
}

/** Nobody but staff may write while no host is there. */
export const useIsLocked = (client: GatewayClient): boolean =>
  useEvent(
    client,
    ({ hostAbsence, me }) => hostAbsence?.measure === "locked" && me.role !== "host" && me.role !== "workspace_admin",
  ) ?? false
