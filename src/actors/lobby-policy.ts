/** Who has to wait: a host's word over the active phase's configuration; only calls have a lobby. */
import type { LobbyPolicy } from "../model/activity-commands.ts"
import { ONLY } from "../model/live-records.ts"
import type { Floor } from "./floor.ts"
import { activePhase, type LiveState } from "./state.ts"

export const lobbyPolicy = (state: LiveState, floor: Floor): LobbyPolicy => {
  const phase = activePhase(state)
  if (phase === undefined || phase.modality === "broadcast") return "open"
  return floor.get("settings", ONLY)?.lobby ?? phase.config.lobby ?? "open"
}
