import { makeRestClient } from "@gathercue/client"
import { type FormEvent, useState } from "react"
import { LiveEvent } from "./live-event.tsx"
import { eventInAddress, sessionInAddress, showInAddress } from "./page-address.ts"

const SERVER = import.meta.env.VITE_GATHERCUE_URL
const session = sessionInAddress()
const api =
  SERVER === undefined || SERVER === ""
    ? undefined
    : makeRestClient({ baseUrl: SERVER, ...(session === null ? {} : { sessionToken: session }) })

const Join = ({ onJoin }: { readonly onJoin: (eventId: string) => void }) => {
  const join = (submitted: FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const eventId = String(new FormData(submitted.currentTarget).get("event")).trim()
    if (eventId !== "") onJoin(eventId)
  }
  return (
    <form onSubmit={join}>
      <label>
        Id of the event <input name="event" required />
      </label>
      <button type="submit">Join</button>
    </form>
  )
}

export const App = () => {
  const [eventId, choose] = useState(eventInAddress)
  if (api === undefined) return <p role="alert">Set VITE_GATHERCUE_URL in .env to the address of the server.</p>
  if (eventId !== null) {
    return <LiveEvent eventId={eventId} token={() => api.createGatewayToken({ payload: { eventId } })} />
  }
  const join = (chosen: string) => {
    showInAddress(chosen)
    choose(chosen)
  }
  return <Join onJoin={join} />
}
