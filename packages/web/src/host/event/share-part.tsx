/** Ways to share the event: its link, its code, its picture for a projector, and invites. */

import { useState } from "react"
import { keepSession } from "../../api/event-session.ts"
import { rest, SERVER } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button, LinkButton } from "../../ui/button.tsx"
import { useAccount } from "../account/account-context.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { InvitesPart } from "../workspace/invites-part.tsx"
import type { EventProps } from "./event-page.tsx"

const Code = ({ eventId }: { readonly eventId: string }) => {
  const { host } = useConsoleTexts()
  const [made, show] = useState<{ readonly code: string; readonly url: string } | undefined>(undefined)
  const { run, isPending, error } = useAction(() => rest.createJoinCode({ params: { id: eventId } }))
  return (
    <>
      {made === undefined ? (
        <div className="row">
          <Button isPending={isPending} onPress={() => void run().then(show)}>
            {host.showCode}
          </Button>
        </div>
      ) : (
        <>
          <CopyField label={host.joinCode} value={made.code} />
          <CopyField label={host.joinLink} value={made.url} />
        </>
      )}
      <FailureNotice error={error} />
    </>
  )
}

/** The screen gets a session of the host, so that it also shows phases for signed-in people, and the join code to show. */
const openScreen = async ({ id, workspaceId }: EventProps["event"]): Promise<void> => {
  // Opened before the requests: a browser opens no window without a user gesture.
  const opened = window.open("about:blank", "_blank")
  const { sessionToken } = await rest.createWorkspaceSession({ params: { id: workspaceId } })
  const { code } = await rest.createJoinCode({ params: { id } })
  keepSession(`screen:${id}`, { token: sessionToken, name: null })
  const address = `/screen/${id}?code=${encodeURIComponent(code)}`
  if (opened === null) location.assign(address)
  else opened.location.href = address
}

const ScreenButton = ({ event }: Pick<EventProps, "event">) => {
  const { host } = useConsoleTexts()
  const { run, isPending, error } = useAction(openScreen)
  return (
    <>
      <Button isPending={isPending} onPress={() => void run(event)}>
        {host.screen}
      </Button>
      <FailureNotice error={error} />
    </>
  )
}

export const SharePart = ({ event }: EventProps) => {
  const { host } = useConsoleTexts()
  const { view } = useAccount()
  const role = view?.workspaces.find(({ id }) => id === event.workspaceId)?.role
  if (event.status === "draft") return <p>{host.shareAfterPublish}</p>
  const qr = `/v1/public/events/${event.id}/qr.svg`
  return (
    <>
      {event.visibility === "private" ? (
        <p>{host.sharePrivate}</p>
      ) : (
        <section className="panel stack" aria-label={host.share}>
          <CopyField label={host.eventLink} value={`${SERVER}/e/${event.id}`} />
          <Code eventId={event.id} />
          <img className="qr" src={qr} alt={host.qr} />
          <div className="row">
            <LinkButton href={qr} download>
              {host.qrFile}
            </LinkButton>
            <ScreenButton event={event} />
          </div>
        </section>
      )}
      {role === "owner" || role === "admin" ? <InvitesPart workspaceId={event.workspaceId} eventId={event.id} /> : null}
    </>
  )
}
