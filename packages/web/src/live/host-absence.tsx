/** Notice about the active measure when no host is present. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"

export const HostAbsenceNotice = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const measure = useEvent(client, ({ hostAbsence }) => hostAbsence?.measure ?? null) ?? null
  // The element exists before a measure is taken, so that a screen reader reads it out.
  return <div role="status">{measure === null ? null : <p className="notice">{live.hostAbsence[measure]}</p>}</div>
}

/** Whether a measure has locked the forms; hosts are not affected, because none is present. */
export const useIsLocked = (client: GatewayClient): boolean =>
  useEvent(client, ({ hostAbsence }) => hostAbsence?.measure === "locked") ?? false
