/** Announcements of the hosts. They are not part of the state: only those received while this page was open are shown. */
import type { DispatchData, GatewayClient } from "@gathercue/client"
import { useDispatch } from "@gathercue/client/react"
import { useState } from "react"
import { useFormats, useTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"

type Announcement = DispatchData<"announcement">

/** Number of newest announcements shown. */
const KEPT = 3

export const Announcements = ({ client }: { readonly client: GatewayClient }) => {
  const { live, close } = useTexts()
  const { time } = useFormats()
  const [shown, show] = useState<ReadonlyArray<Announcement>>([])
  useDispatch(client, "announcement", (one) => show((now) => [...now, one].slice(-KEPT)))
  // The element exists before the first announcement, so that a screen reader reads it out.
  return (
    <div role="status" aria-label={live.announcement}>
      {shown.map(({ id, text, at }) => (
        <div key={id} className="notice row row-apart">
          <p>
            <b>{live.announcement}</b> <span className="quiet">{time(at)}</span> <bdi>{text}</bdi>
          </p>
          <Button onPress={() => show((now) => now.filter((one) => one.id !== id))}>{close}</Button>
        </div>
      ))}
    </div>
  )
}
