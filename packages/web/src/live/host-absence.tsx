/** What people are told of the measure that is in force because no host is there. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"

export const HostAbsence = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const measure = useEvent(client, ({ hostAbsence }) => hostAbsence?.measure ?? null) ?? null
  // The element is there before a measure comes: only then a screen reader says it.
  return <div role="status">{measure === null ? null : <p className="notice">{live.hostAbsence[measure]}</p>}</div>
}

/** A measure has closed the forms: no host is there whose forms could stay open. */
export const useIsLocked = (client: GatewayClient): boolean =>
  useEvent(client, ({ hostAbsence }) => hostAbsence?.measure === "locked") ?? false
