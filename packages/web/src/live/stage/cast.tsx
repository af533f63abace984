/** People now on stage. */
import type { GatewayClient, PresenceView } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useLanguage, useTexts } from "../../texts/language.tsx"

const ON_STAGE = ["host", "speaker"]
const NOBODY: ReadonlyArray<string> = []

const namesOf = (presence: PresenceView): ReadonlyArray<string> =>
  (presence.mode === "list" ? presence.list : presence.staff)
    .filter(({ role }) => ON_STAGE.includes(role))
    .map(({ name }) => name)

export const Cast = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const language = useLanguage()
  const names = useEvent(client, ({ presence }) => namesOf(presence)) ?? NOBODY
  return names.length === 0 ? null : <p>{live.cast(new Intl.ListFormat(language).format(names))}</p>
}
