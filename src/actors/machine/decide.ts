/**
 * Decides one command in one turn, purely: the result is a refusal, with the turn undone, or the data of the reply; everything else is in the
 * turn. Permission is checked first (it depends on the active phase, which only the actor knows for sure). Then the chart decides.
 */
import { isKeyParticipant } from "../../model/participants.ts"
import { type CommandName, commandContract } from "../../protocol/contract.ts"
import { can, whyNot } from "../../protocol/permissions.ts"
import { type Answer, type Caller, type Envelope, gatewayName, Refused } from "../commands.ts"
import { actingRole } from "../domain/acting-role.ts"
import { react } from "../domain/activities/registry.ts"
import type { Turn } from "../domain/turn.ts"
import { admissionOf, isRemoved } from "../presence/admission-policy.ts"
import { phaseTraits } from "../state/state.ts"
import { stepMachine } from "./step.ts"

/** Participants whom the command may name only if they do not manage the workspace, by its contract. */
const exemptIn = (name: CommandName, d: { readonly [member: string]: unknown }): ReadonlyArray<string> =>
  (commandContract(name).managersExemptIn ?? [])
    .map((member) => d[member])
    .flat(Infinity)
    .filter((id) => typeof id === "string")

/** Whether the participant is an owner or admin of the workspace, in any role here, or an administrator appointed by the workspace. */
const isManager = (turn: Turn, participantId: string): boolean => {
  if (isKeyParticipant(participantId)) return true
  const person = turn.everybody.find(participantId)
  const role = turn.get("role", participantId)?.role ?? person?.role
  return person?.manages === true || role === "workspace_admin"
}

/** Hosts may not remove participants who manage the workspace. */
const isAbove = (turn: Turn, { by, command }: Envelope, name: CommandName): boolean => {
  if (by === null || by.manages === true || actingRole(turn.records, by) === "workspace_admin") return false
  return exemptIn(name, command.d).some((participantId) => isManager(turn, participantId))
}

const forbid = (turn: Turn, envelope: Envelope): Refused | undefined => {
  const name = gatewayName(envelope.command)
  if (envelope.by === null || name === null) return undefined
  // Applies to commands from any source: a waiting participant is not inside and may send none.
  if (admissionOf(turn.state, turn.records, envelope.by) !== "in") {
    const isOut = isRemoved(turn.state, envelope.by)
    return new Refused({ code: "forbidden", detail: isOut ? "You were removed." : "You wait in the lobby." })
  }
  if (isAbove(turn, envelope, name)) {
    return new Refused({ code: "forbidden", detail: "Hosts cannot act on owners and admins of the workspace." })
  }
  const permission = can(actingRole(turn.records, envelope.by), phaseTraits(turn.state), name)
  if (permission !== "allowed") return new Refused({ code: permission, detail: whyNot(permission, name) })
  return lacksPresence(turn, envelope.by, name)
    ? new Refused({ code: "conflict", detail: `${name} is for people at the event: connect to the gateway first.` })
    : undefined
}

/** Whether the command is about a place that ends with the sender's presence, and the sender, who needs no connection, is not present. */
const lacksPresence = ({ everybody }: Turn, { participantId, isRequest }: Caller, name: CommandName): boolean =>
  isRequest === true && commandContract(name).needs === "presence" && everybody.find(participantId) === undefined

/** Reports the participants whom any command removed for good or allowed back. */
const notifyOfRemovals = (turn: Turn, before: ReadonlySet<string>, after: ReadonlySet<string>): void => {
  for (const participantId of after) {
    if (before.has(participantId)) continue
    // Without `by` an organiser frees this one seat: others with the same email address stay.
    turn.changeParticipant({ participantId, barred: true, ...(turn.by !== null && { isDecision: true }) })
    react(turn, { type: "person.barred", id: participantId })
  }
  for (const participantId of before)
    if (!after.has(participantId)) turn.changeParticipant({ participantId, barred: false })
}

/** A participant whom a command removed has departed at once: there is no grace period as after a lost connection. */
const notifyOfDepartures = (turn: Turn): void => {
  const ids = turn.ejections.flatMap((ejection) => (ejection.who === "participant" ? ejection.participantId : []))
  if (ids.length > 0) react(turn, { type: "people.departed", ids })
}

export const decide = (turn: Turn, envelope: Envelope): Answer["result"] | Refused => {
  const { removed } = turn.state
  const result = forbid(turn, envelope) ?? stepMachine(turn, envelope.command)
  if (result instanceof Refused) {
    turn.undo()
    return result
  }
  notifyOfDepartures(turn)
  if (turn.state.removed !== removed) notifyOfRemovals(turn, new Set(removed), new Set(turn.state.removed))
  return result
}
