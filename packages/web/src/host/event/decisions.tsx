/** Buttons that approve or decline the chosen registrations. */
import type { Registration } from "@gathercue/client"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"

/** Number of registrations that the server decides in one request. */
export const MOST_CHOSEN = 100

/** Whether one of the decisions is possible. */
export const isDecidable = ({ state }: Registration): boolean => state !== "approved"

export const Decisions = ({
  eventId,
  chosen,
  onDone,
}: {
  readonly eventId: string
  readonly chosen: ReadonlyArray<string>
  readonly onDone: () => void
}) => {
  const { host } = useConsoleTexts()
  const [text, write] = useState("")
  const [refused, refuse] = useState<ReadonlyArray<string>>([])
  const at = { params: { id: eventId } }
  const deciding = useAction(async (decision: "approve" | "decline") => {
    const reason = text.trim()
    const answer =
      decision === "approve"
        ? await rest.approveRegistrations({ ...at, payload: { ids: chosen } })
        : await rest.declineRegistrations({ ...at, payload: { ids: chosen, ...(reason === "" ? {} : { reason }) } })
    refuse([...new Set(answer.refused.map(({ detail }) => detail))])
    write("")
    onDone()
    return true
  })
  const isDisabled = chosen.length === 0
  return (
    <>
      <div className="row">
        <Button isDisabled={isDisabled} isPending={deciding.isPending} onPress={() => void deciding.run("approve")}>
          {host.approve}
        </Button>
        <ConfirmButton
          label={host.declineRegistrations}
          question={host.declineQuestion(chosen.length)}
          isPending={deciding.isPending}
          error={deciding.error}
          isDisabled={isDisabled}
          onConfirm={() => deciding.run("decline")}
        >
          <TextField
            label={host.cancelReason}
            hint={host.cancelReasonHint}
            lines={2}
            value={text}
            onChange={write}
            maxLength={1000}
          />
        </ConfirmButton>
        <span role="status">{chosen.length < MOST_CHOSEN ? refused.join(" ") : host.mostChosen(MOST_CHOSEN)}</span>
      </div>
      <FailureNotice error={deciding.error} />
    </>
  )
}
