/** Number of people present, and for participants with a name their list. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { Users } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import { useTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"

const WhoIsHere = lazy(async () => ({ default: (await import("./who-is-here.tsx")).WhoIsHere }))

export const Here = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const people = useEvent(client, ({ presence }) => presence.total) ?? 0
  const mayLook = useEvent(client, ({ me }) => me.can.includes("roster.list")) ?? false
  const [isOpen, open] = useState(false)
  if (!mayLook) return <span className="quiet">{live.here(people)}</span>
  return (
    <>
      <Button onPress={() => open(true)}>
        <Users /> {live.here(people)}
      </Button>
      {isOpen ? (
        <Suspense>
          <WhoIsHere client={client} onClose={() => open(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
