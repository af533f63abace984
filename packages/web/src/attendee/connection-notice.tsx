/** Text for the state of the connection: waiting, lost, or ended with the reason. */
import { type GatewayClient, RestProblem } from "@gathercue/client"
import { useConnection } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Notice } from "../ui/notice.tsx"

interface Props {
  readonly client: GatewayClient
  /** Called when the session is refused for good. */
  readonly onSignOut: () => void
}

export const ConnectionNotice = ({ client, onSignOut }: Props) => {
  const texts = useTexts()
  const { status, error } = useConnection(client)
  if (status === "ready") return null
  if (status === "lobby") return <Notice>{texts.attendee.lobby}</Notice>
  if (status !== "closed")
    return <Notice>{error === null ? texts.attendee.connecting : texts.attendee.reconnecting}</Notice>
  const isSessionOver = error instanceof RestProblem && error.status === 401
  return (
    <div role="alert" className="notice notice-bad">
      <p>{whyFailed(texts, error) ?? texts.attendee.left}</p>
      <Button onPress={() => (isSessionOver ? onSignOut() : void client.connect().catch(() => {}))}>
        {error === null ? texts.attendee.comeBack : texts.retry}
      </Button>
    </div>
  )
}
