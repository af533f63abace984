/** Form for a question, with or without the person's name. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { CheckField } from "../ui/check-field.tsx"
import { useIsLocked } from "./host-absence.tsx"
import { TextForm } from "./text-form.tsx"

interface Props {
  readonly client: GatewayClient
  /** Whether this person has a name that could be omitted. */
  readonly hasName: boolean
}

const LONGEST = 1000

export const AskForm = ({ client, hasName }: Props) => {
  const texts = useTexts()
  const { live } = texts
  const mayAsk = useEvent(client, ({ me }) => me.can.includes("question.ask")) ?? false
  const isOpen = useEvent(client, ({ questions }) => questions.open) ?? true
  const isLocked = useIsLocked(client)
  const [isAnonymous, hideName] = useState(false)
  const { send, isPending, error } = useCommand(client)
  if (!mayAsk) return null
  if (isLocked) return <p className="quiet">{live.hostAbsence.locked}</p>
  if (!isOpen) return <p className="quiet">{live.questionsClosed}</p>
  return (
    <TextForm
      label={live.question}
      button={live.ask}
      isPending={isPending}
      problem={whyFailed(texts, error)}
      maxLength={LONGEST}
      draft="question"
      onText={async (text) => (await send("question.ask", { text, anonymous: hasName && isAnonymous })) !== undefined}
    >
      {hasName ? (
        <CheckField isSelected={isAnonymous} onChange={hideName}>
          {live.askAnonymously}
        </CheckField>
      ) : null}
    </TextForm>
  )
}
