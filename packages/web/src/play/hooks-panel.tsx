/** Webhooks as they arrive, each with its signature checked. */
import { useEffect, useState } from "react"
import { SERVER } from "../api/rest.ts"
import { useLoaded } from "../api/use-loaded.ts"
import { useConsoleTexts, useFormats } from "../texts/language.tsx"
import type { TrialEvent } from "./trial-event.ts"
import { type InboxDelivery, isSigned } from "./webhook-signature.ts"

const EVERY_MS = 2000

interface Shown extends InboxDelivery {
  readonly isGood: boolean
}

const readInbox = async ({ inbox, secret }: TrialEvent["hook"], signal: AbortSignal): Promise<ReadonlyArray<Shown>> => {
  const answer = await fetch(`${SERVER}/v1/dev/inboxes/${inbox}`, { signal })
  const { deliveries } = (await answer.json()) as { readonly deliveries: ReadonlyArray<InboxDelivery> }
  return Promise.all(deliveries.map(async (one) => ({ ...one, isGood: await isSigned(one, secret) })))
}

export const HooksPanel = ({ hook }: Pick<TrialEvent, "hook">) => {
  const { play } = useConsoleTexts()
  const { time } = useFormats()
  const [isOpen, open] = useState(true)
  const { value = [], reload } = useLoaded(hook.inbox, (signal) => readInbox(hook, signal))
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(reload, EVERY_MS)
    return () => clearInterval(timer)
  }, [isOpen, reload])
  return (
    <details className="panel" open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        <h2 className="in-summary">{play.webhooks}</h2>
      </summary>
      {value.length === 0 ? <p className="quiet">{play.noWebhooks}</p> : null}
      <ol className="frames" aria-label={play.webhooks}>
        {value.toReversed().map((delivery) => (
          <li key={`${delivery.headers["webhook-id"]} ${delivery.at}`}>
            <details>
              <summary>
                {time(delivery.at)} {delivery.headers["x-gc-event-type"]}{" "}
                <span className={delivery.isGood ? "quiet" : "bad"}>
                  {delivery.isGood ? play.signed : play.unsigned}
                </span>
              </summary>
              <pre className="frame">{delivery.body}</pre>
            </details>
          </li>
        ))}
      </ol>
    </details>
  )
}
