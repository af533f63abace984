/** The callers of an operation, as a sentence of its description. */
import type { Access } from "../contract/access.ts"

const MANAGERS =
  "a workspace API key, or the session of a member of the workspace (an account session, or a workspace session token)"
const READERS =
  "Anyone may call it for an event that is public or unlisted; a private one needs a credential of its workspace."

export const CALLERS: Readonly<Record<Access, string>> = {
  public: "Anyone may call it; no credentials are read.",
  publicEvent: READERS,
  publicAsset: READERS,
  sharedEvent: "Anyone may call it, unless the event is a draft or private; no credentials are read.",
  browser: "A browser calls it by itself, with the cookies of this server.",
  openEvent: "Anyone may call it, unless the event is a draft; no credentials are read.",
  optionalSession: "Anyone may call it; with a session token the caller is that person.",
  audienceEvent: "Callers: the holder of a session token of the event, or anyone where the event allows that.",
  audienceQuestion: "Callers: the holder of a session token of the event, or anyone where the event allows that.",
  liveEvent: "Callers: a workspace API key, or the holder of a session token of the event.",
  account: "Callers: a signed-in account.",
  accountOrPlatform: "Callers: a signed-in account, or the operator with the platform key.",
  platform: "Callers: the operator with the platform key.",
  key: "Callers: a workspace API key.",
  workspaceGuest: "Callers: a signed-in account with any tie to the workspace, also only to one of its events.",
  workspaceMember: "Callers: a signed-in member of the workspace.",
  workspaceOwner: "Callers: a signed-in owner of the workspace.",
  workspaceAdmin: "Callers: a signed-in owner or admin of the workspace.",
  workspaceMemberOrKey: "Callers: a signed-in member of the workspace, or one of its API keys.",
  workspaceAdminOrKey: "Callers: a signed-in owner or admin of the workspace, or one of its API keys.",
  workspace: `Callers: ${MANAGERS}.`,
  workspaceEvents: `Callers: ${MANAGERS}.`,
  event: `Callers: ${MANAGERS}.`,
  eventOfWorkspace: `Callers: ${MANAGERS}. A key that is limited to some events is refused.`,
  series: `Callers: ${MANAGERS}. A key that is limited to some events is refused.`,
  agenda: `Callers: ${MANAGERS}.`,
  phase: `Callers: ${MANAGERS}.`,
  question: `Callers: ${MANAGERS}.`,
  recording: `Callers: ${MANAGERS}.`,
  clip: `Callers: ${MANAGERS}.`,
  keyUser: "Callers: a workspace API key.",
  user: "Callers: a signed-in owner or admin of the workspace, or one of its API keys.",
  webhook: `Callers: ${MANAGERS}.`,
  webhookDelivery: `Callers: ${MANAGERS}.`,
}

/** Further requirements for a session, by annotation of the endpoint. */
export const PROOF = {
  always: "A session needs a sign-in or proof within ten minutes (`fresh_sign_in_required` otherwise).",
  file: "With `format=csv` a session needs a sign-in or proof within ten minutes (`fresh_sign_in_required` otherwise).",
} as const
