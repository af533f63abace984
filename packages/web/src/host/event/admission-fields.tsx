/** Form fields of an event: whose registration waits for the organisers, and what a full event does. */
import type { Approval, Event } from "@gathercue/client"
import { useState } from "react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { TextField } from "../../ui/fields.tsx"
import { NumberField } from "../parts/number-field.tsx"

type Admission = Pick<Event, "approval" | "waitingList">

const EVERYBODY: Approval = { approvedDomains: [], declinedDomains: [] }
const OFFER_HOURS = 24

/** A list of domains as text. The field keeps what was typed, because a comma at its end is in no list. */
const DomainsField = ({
  label,
  domains,
  onChange,
}: {
  readonly label: string
  readonly domains: ReadonlyArray<string>
  readonly onChange: (domains: ReadonlyArray<string>) => void
}) => {
  const { host } = useConsoleTexts()
  const [text, write] = useState(domains.join(", "))
  const typed = (next: string) => {
    write(next)
    onChange(
      next
        .toLowerCase()
        .split(/[\s,;]+/)
        .filter((domain) => domain !== ""),
    )
  }
  return <TextField label={label} hint={host.domainsHint} value={text} onChange={typed} autoComplete="off" />
}

export const AdmissionFields = ({
  values: { approval, waitingList },
  onChange,
}: {
  readonly values: Admission
  readonly onChange: (part: Partial<Admission>) => void
}) => {
  const { host } = useConsoleTexts()
  return (
    <>
      <CheckField
        isSelected={waitingList !== null}
        onChange={(isOn) => onChange({ waitingList: isOn ? { offerHours: OFFER_HOURS } : null })}
      >
        {host.keepWaitingList}
      </CheckField>
      {waitingList === null ? null : (
        <NumberField
          name="waitingList.offerHours"
          label={host.offerHours}
          minimum={1}
          maximum={168}
          value={waitingList.offerHours}
          onChange={(offerHours = OFFER_HOURS) => onChange({ waitingList: { offerHours } })}
        />
      )}
      <CheckField isSelected={approval !== null} onChange={(isOn) => onChange({ approval: isOn ? EVERYBODY : null })}>
        {host.askForApproval}
      </CheckField>
      {approval === null ? null : (
        <div className="split">
          <DomainsField
            label={host.approvedDomains}
            domains={approval.approvedDomains}
            onChange={(approvedDomains) => onChange({ approval: { ...approval, approvedDomains } })}
          />
          <DomainsField
            label={host.declinedDomains}
            domains={approval.declinedDomains}
            onChange={(declinedDomains) => onChange({ approval: { ...approval, declinedDomains } })}
          />
        </div>
      )}
    </>
  )
}
