/** Role with which a caller acts at an event. */

import { isStaff } from "../../model/roles.ts"
import { type ActingRole, actingAs } from "../../protocol/rule.ts"
import type { Caller } from "../commands.ts"
import type { RecordStore } from "../state/record-store.ts"

/** The caller's role at this event: a role given by a host takes precedence over the one in the token. */
export const actingRole = (records: RecordStore, caller: Pick<Caller, "participantId" | "kind" | "role">): ActingRole =>
  actingAs({ kind: caller.kind, role: records.get("role", caller.participantId)?.role ?? caller.role })

export const isOfStaff = (role: ActingRole): boolean => role !== "anonymous" && isStaff(role)
