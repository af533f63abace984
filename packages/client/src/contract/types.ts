/** The values of REST and of the gateway. Written from the contract by a test: do not edit. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

export type ProblemCode =
  | "bad_request"
  | "unknown_command"
  | "role_not_on_event"
  | "invalid_token"
  | "unauthorized"
  | "sign_in_required"
  | "signup_closed"
  | "forbidden"
  | "fresh_sign_in_required"
  | "sso_required"
  | "mfa_required"
  | "not_found"
  | "muted"
  | "method_not_allowed"
  | "conflict"
  | "wrong_phase"
  | "feature_disabled"
  | "event_ended"
  | "slug_taken"
  | "event_full"
  | "encoder_replaced"
  | "email_taken"
  | "account_exists"
  | "idempotency_in_progress"
  | "too_large"
  | "payload_too_large"
  | "unsupported_media_type"
  | "idempotency_key_reused"
  | "upgrade_required"
  | "rate_limited"
  | "internal_error"
  | "idp_not_configured"
  | "unavailable"

/** `locked`: only staff write in the chat or ask questions. `lobbyClosed`: calls admit nobody new. */
export type AbsenceMeasure = "slowChat" | "locked" | "lobbyClosed"

export interface AccountView {
  readonly account: {
    readonly id: string
    readonly name: string
    readonly email: string
    readonly emailVerified: boolean
    readonly createdAt: string
    readonly mfa: boolean
  }
  readonly emails: ReadonlyArray<{ readonly id: string; readonly email: string; readonly verified: boolean; readonly primary: boolean }>
  readonly workspaces: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly slug: string
    readonly role: WorkspaceRole
    readonly requireMfa: boolean
    readonly sso: "optional" | "required"
  }>
  /** Verification link of a signup, in e-mail dev mode only. */
  readonly verifyUrl?: string
}

/** The participant who did something; the name is null for participants without one. */
export interface Actor { readonly participantId: string; readonly name: string | null }

export interface ApiKey {
  readonly id: string
  readonly name: string | null
  readonly prefix: string
  readonly last4: string
  readonly status: "active" | "revoked"
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly createdByKeyId: string | null
  readonly scopes: ReadonlyArray<KeyScope>
  readonly eventIds: ReadonlyArray<string> | null
}

/** The secret is shown once. */
export interface ApiKeyWithSecret {
  readonly id: string
  readonly name: string | null
  readonly prefix: string
  readonly last4: string
  readonly status: "active" | "revoked"
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly createdByKeyId: string | null
  readonly scopes: ReadonlyArray<KeyScope>
  readonly eventIds: ReadonlyArray<string> | null
  readonly secret: string
}

/** `PublicKeyCredential.toJSON()` of a passkey that was used to sign in. */
export interface AssertionResponse {
  readonly id: string
  readonly rawId: string
  readonly type: "public-key"
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string | null
  }
}

export interface AssignmentView {
  readonly roomId: string
  readonly name: string
  /** End of the assignment; null: it lasts until the breakout is closed. */
  readonly endsAt: string | null
  readonly media?: MediaSeat
}

/** Reason why an attempt did not deliver. `status`: the receiver answered something other than 2xx; `refused`: the address may not be called; `internal`: a fault of this server; for the others no answer came. */
export type AttemptError = "status" | "timeout" | "dns" | "connect" | "tls" | "protocol" | "refused" | "internal"

export interface BreakoutPlanView {
  readonly id: string
  readonly strategy: "balanced" | "manual" | "self"
  readonly seed: number
  readonly rooms: ReadonlyArray<{ readonly name: string; readonly people: ReadonlyArray<string> }>
  readonly unplaced: ReadonlyArray<string>
  /** Notes on where the plan differs from the request. */
  readonly notes: ReadonlyArray<PlanNote>
  readonly at: string
}

export interface BreakoutView {
  readonly id: string
  readonly phaseId: string
  readonly strategy: "balanced" | "manual" | "self"
  readonly late: "leastLoaded" | "ask" | "main"
  readonly openedAt: string
  readonly endsAt: string | null
  /** Set while the breakout is closing. */
  readonly closesAt: string | null
  readonly rev: number
}

export interface BroadcastState {
  readonly broadcastId: string
  readonly phaseId: string
  readonly status: "idle" | "live" | "paused" | "ended"
  readonly playbackUrl: string | null
  /** Null when no encoder pushes to this server. */
  readonly ingest: IngestView | null
}

export interface BroadcastView {
  readonly broadcastId: string
  readonly phaseId: string
  readonly status: "idle" | "live" | "paused" | "ended"
  readonly playbackUrl: string | null
  readonly startedAt: string | null
}

export type CaptureKind = "recording" | "transcript"

export interface CaptureView { readonly on: boolean; readonly kinds: ReadonlyArray<CaptureKind>; readonly since: string | null }

export interface ChatMessageView {
  readonly id: string
  readonly rev: number
  readonly to: ChatTarget
  readonly roomId: string | null
  readonly participantId: string
  readonly name: string
  readonly role: EventRole
  readonly text: string
  readonly replyTo: string | null
  readonly at: string
}

export type ChatTarget = "event" | "room" | "staff"

export interface Clip {
  readonly id: string
  readonly recordingId: string
  readonly eventId: string
  readonly title: string | null
  readonly status: "processing" | "ready" | "failed"
  readonly startMs: number
  readonly endMs: number
  /** Measured start and end in the recording: some containers begin at the key frame before the start. */
  readonly actualStartMs: number | null
  readonly actualEndMs: number | null
  readonly durationMs: number
  readonly sizeBytes: number | null
  readonly contentType: string | null
  /** Signed address, valid for six hours; null until the clip is ready. */
  readonly playbackUrl: string | null
  readonly downloadUrl: string | null
  readonly failure: MediaFailure | null
  readonly createdAt: string
}

/** Type of a delivery: an event type, or `ping`. */
export type DeliveredType = "event.published" | "event.rescheduled" | "event.cancelled" | "event.reinstated" | "event.started" | "event.ended" | "participant.joined" | "participant.left" | "broadcast.live" | "broadcast.paused" | "recording.ready" | "transcript.ready" | "clip.ready" | "question.created" | "question.answered" | "registration.created" | "registration.cancelled" | "phase.started" | "phase.ended" | "poll.opened" | "poll.closed" | "host.absent" | "host.returned" | "audit.created" | "webhook.disabled" | "ping"

/** `pending`: waiting for its first or next attempt; `rejected`: the receiver's answer is final; `exhausted`: no attempt is left; `skipped`: never sent, because the endpoint was disabled. */
export type DeliveryStatus = "pending" | "delivered" | "rejected" | "exhausted" | "skipped"

/** State of a broadcast's encoder. `waiting`: nothing received yet; `lost`: nothing received for ten seconds. */
export type EncoderState = "waiting" | "receiving" | "lost"

/** The encoder that pushes a broadcast to this server, or the media server's recorder that produces it. */
export interface EncoderView {
  readonly broadcastId: string
  readonly phaseId: string
  readonly state: EncoderState
  /** Why the encoder's bytes were refused or are not recorded; null once they are. */
  readonly failure: EventWarning | null
}

/** An error that belongs to no command; the connection stays open. */
export interface ErrorFrame {
  readonly op: 13
  readonly d: {
    readonly code: RefusalCode
    readonly message: string
    readonly temporary?: boolean
    readonly retryAfterMs?: number
  }
}

export interface Event {
  readonly id: string
  readonly workspaceId: string
  readonly type: string
  readonly title: string
  readonly status: EventStatus
  readonly visibility: Visibility
  readonly scheduledAt: string | null
  readonly scheduledEndAt: string | null
  readonly allowAnonymousVoting: boolean
  readonly allowAnonymousQuestions: boolean
  readonly reminders: boolean
  readonly hostAbsence: HostAbsence
  readonly history: EventHistory
  readonly capacity: number | null
  readonly metadata: { readonly [key: string]: Json }
  readonly createdAt: string
  readonly updatedAt: string
  readonly publishedAt: string | null
  /** Null unless the event is cancelled, which it is in addition to its status. */
  readonly cancelledAt: string | null
  readonly cancelReason: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  /** Present when the event is created, read by its id, changed or published. */
  readonly warnings?: ReadonlyArray<EventWarning>
}

/** `kept`: the event can be replayed after its end, as an anonymous viewer would have seen it. */
export type EventHistory = "brief" | "kept"

export interface EventInput {
  readonly type: string
  readonly title: string
  readonly scheduledAt?: string | null
  readonly scheduledEndAt?: string | null
  readonly visibility?: Visibility
  readonly allowAnonymousVoting?: boolean
  readonly allowAnonymousQuestions?: boolean
  readonly reminders?: boolean
  readonly hostAbsence?: HostAbsence
  readonly history?: EventHistory
  readonly capacity?: number | null
  readonly metadata?: { readonly [key: string]: Json }
  readonly phases?: ReadonlyArray<PhaseInput>
}

/** Fields that a PATCH may change; an absent key leaves its field unchanged, `metadata` is replaced as a whole. */
export interface EventPatch {
  readonly type?: string
  readonly title?: string
  readonly scheduledAt?: string | null
  readonly scheduledEndAt?: string | null
  readonly visibility?: Visibility
  readonly allowAnonymousVoting?: boolean
  readonly allowAnonymousQuestions?: boolean
  readonly reminders?: boolean
  readonly hostAbsence?: HostAbsence
  readonly history?: EventHistory
  readonly capacity?: number | null
  readonly metadata?: { readonly [key: string]: Json }
}

/** The part of an event that is shown in answers about something else. */
export interface EventReference { readonly id: string; readonly title: string; readonly scheduledAt: string | null }

export type EventRole = "workspace_admin" | "host" | "speaker" | "participant" | "viewer"

export type EventStatus = "draft" | "scheduled" | "live" | "ended"

export interface EventView {
  readonly id: string
  readonly title: string
  readonly status: EventStatus
  readonly visibility: Visibility
  readonly startedAt: string | null
  readonly endedAt: string | null
}

/** A possible mistake of the hosts in an event; it refuses nothing. */
export interface EventWarning { readonly code: string; readonly detail: string }

/** An event with its agenda, as returned by reads and lifecycle calls. */
export interface EventWithPhases {
  readonly id: string
  readonly workspaceId: string
  readonly type: string
  readonly title: string
  readonly status: EventStatus
  readonly visibility: Visibility
  readonly scheduledAt: string | null
  readonly scheduledEndAt: string | null
  readonly allowAnonymousVoting: boolean
  readonly allowAnonymousQuestions: boolean
  readonly reminders: boolean
  readonly hostAbsence: HostAbsence
  readonly history: EventHistory
  readonly capacity: number | null
  readonly metadata: { readonly [key: string]: Json }
  readonly createdAt: string
  readonly updatedAt: string
  readonly publishedAt: string | null
  readonly cancelledAt: string | null
  readonly cancelReason: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly warnings?: ReadonlyArray<EventWarning>
  readonly phases: ReadonlyArray<Phase>
  readonly activePhaseId: string | null
}

export type Feature = "qa" | "chat" | "polls" | "reactions" | "transcript" | "capture"

export interface GuestIntegration {
  readonly id: string
  readonly workspaceId: string
  readonly issuer: string
  readonly jwksUrl: string | null
  readonly publicKeyFingerprint: string | null
  readonly status: "active" | "revoked"
  readonly createdAt: string
  readonly revokedAt: string | null
  readonly lastVerifiedAt: string | null
  readonly lastError: PartnerFault | null
}

export interface GuestRefusal {
  /** Null for a token that matches no integration. */
  readonly integrationId: string | null
  readonly reason: RefusalReason
  /** Reason in words, with the token's issuer and key. */
  readonly detail: string
  readonly refusedAt: string
}

export interface HandView { readonly participantId: string; readonly name: string; readonly note: string | null; readonly at: string }

export interface HeartbeatAck {
  readonly op: 11
  /** `t1`, `t2`: times of receipt and sending, Unix milliseconds. `heads` ahead of the cursors: dispatches were lost. */
  readonly d: {
    readonly t0: number
    readonly t1: number
    readonly t2: number
    readonly heads: { readonly [key: string]: number }
  }
}

export interface Hello {
  readonly op: 10
  readonly d: {
    readonly connectionId: string
    readonly heartbeatMs: number
    readonly identifyTimeoutMs: number
    readonly serverTime: number
    readonly maxFrame: number
    readonly release?: string
    readonly contract?: number
    readonly session?: string
  }
}

export interface HostAbsence {
  readonly measure: "nothing" | "slowChat" | "locked" | "lobbyClosed"
  /** Seconds after the departure of the last host, 0 to 3600. A lost connection counts as a departure after thirty seconds. */
  readonly afterSeconds: number
}

/** No host has been present since `since`, and this measure applies. */
export interface HostAbsenceView { readonly since: string; readonly measure: AbsenceMeasure }

/** ICE servers in the form of `iceServers` of a browser's `RTCPeerConnection`; credentials are valid for an hour. */
export interface IceServer { readonly urls: ReadonlyArray<string>; readonly username?: string; readonly credential?: string }

/** Addresses for an encoder. They are credentials: each holds the token. */
export interface IngestAddress {
  /** Playlist address for HLS with MP4 segments; the encoder puts its files beside it. */
  readonly url: string
  /** Address for one endless stream of fragmented MP4, or its numbered pieces (`?seq=0` and on). */
  readonly streamUrl: string
  readonly token: string
}

/** The state of the encoder that pushes to this server. */
export interface IngestView {
  /** `ended`: the broadcast has ended and takes no encoder any more. */
  readonly state: "waiting" | "receiving" | "lost" | "ended"
  /** Time of the last segment since the server started. */
  readonly lastSegmentAt: string | null
  /** Number of times the encoder's picture format or codecs changed, starting at 1. */
  readonly takes: number
  readonly durationMs: number
  /** Reason why the encoder was refused or its bytes are not recorded; null once they are recorded. */
  readonly failure: EventWarning | null
}

export interface Inspection {
  /** The process that owns the event. */
  readonly node: string
  /** Number of commits of the event so far. */
  readonly version: number
  readonly fencingToken: number
  /** Time when this owner loaded the event into memory. Earlier transitions are not known. */
  readonly ownedSince: string
  /** All states of the chart, with their paths from the root, such as `live.phase.running`. */
  readonly states: ReadonlyArray<string>
  readonly polls: ReadonlyArray<{ readonly id: string; readonly states: ReadonlyArray<string> }>
  /** Deadlines of the event, the next one first. */
  readonly deadlines: ReadonlyArray<{ readonly name: string; readonly about: string | null; readonly at: string }>
  /** The newest transitions, oldest first. */
  readonly transitions: ReadonlyArray<{ readonly at: string; readonly event: string; readonly entered: ReadonlyArray<string> }>
}

export type KeyScope = "read" | "events:write" | "live" | "people" | "media" | "webhooks" | "admin"

/** A type with the JSON Schema (2020-12) of its body. */
export interface ListedWebhookEventType {
  readonly type: WebhookEventType
  readonly description: string
  readonly schema: { readonly [key: string]: Json }
}

/** Every command that needs no connection, as a variant of its own. It is read as `AnyCommand`. */
export type LiveCommand = {
  readonly id?: string
  readonly t: "phase.next"
  readonly d?: { readonly phaseId?: string }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "phase.update"
  readonly d: { readonly phaseId: string; readonly config?: PhaseConfig; readonly featureSet?: ReadonlyArray<Feature> }
  readonly rev?: number
} | { readonly id?: string; readonly t: "event.end"; readonly d?: { readonly [key: string]: unknown } } | {
  readonly id?: string
  readonly t: "timer.extend"
  readonly d: { readonly timerId: string; readonly seconds: number }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "announce"
  readonly d: { readonly text: string; readonly targets?: "all" | ReadonlyArray<string> }
} | {
  readonly id?: string
  readonly t: "announcement.prepare"
  readonly d: { readonly text: string; readonly targets?: "all" | ReadonlyArray<string> }
} | { readonly id?: string; readonly t: "announcement.discard"; readonly d: { readonly id: string } } | { readonly id?: string; readonly t: "announcement.send"; readonly d: { readonly id: string } } | {
  readonly id?: string
  readonly t: "participant.mute"
  readonly d: { readonly id: string; readonly until?: string; readonly on?: boolean }
} | {
  readonly id?: string
  readonly t: "role.set"
  readonly d: { readonly id: string; readonly role: EventRole }
} | {
  readonly id?: string
  readonly t: "participant.remove"
  readonly d: { readonly id: string; readonly block?: boolean }
} | { readonly id?: string; readonly t: "participant.unblock"; readonly d: { readonly id: string } } | {
  readonly id?: string
  readonly t: "lobby.admit"
  readonly d: { readonly ids: ReadonlyArray<string> } | { readonly all: true }
} | {
  readonly id?: string
  readonly t: "lobby.deny"
  readonly d: { readonly ids: ReadonlyArray<string>; readonly block?: boolean }
} | { readonly id?: string; readonly t: "lobby.policy"; readonly d: { readonly mode: LobbyPolicy } } | { readonly id?: string; readonly t: "participant.toLobby"; readonly d: { readonly id: string } } | {
  readonly id?: string
  readonly t: "roster.list"
  readonly d?: {
    readonly roomId?: string
    readonly role?: EventRole
    readonly query?: string
    readonly cursor?: string
    readonly limit?: number
  }
} | { readonly id?: string; readonly t: "question.ask"; readonly d: QuestionInput } | {
  readonly id?: string
  readonly t: "question.withdraw"
  readonly d: { readonly id: string }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "question.vote"
  readonly d: { readonly id: string; readonly on: boolean }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "question.approve"
  readonly d: { readonly id: string }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "question.hide"
  readonly d: { readonly id: string }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "question.restore"
  readonly d: { readonly id: string }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "question.pin"
  readonly d: { readonly id: string; readonly on?: boolean }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "question.answer"
  readonly d: { readonly id: string; readonly mode: "live" | "text"; readonly text?: string }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "qa.settings"
  readonly d?: { readonly moderated?: boolean; readonly open?: boolean }
} | {
  readonly id?: string
  readonly t: "chat.send"
  readonly d: { readonly to: ChatTarget; readonly text: string; readonly replyTo?: string }
} | {
  readonly id?: string
  readonly t: "chat.delete"
  readonly d: { readonly id: string }
  readonly rev?: number
} | { readonly id?: string; readonly t: "chat.slow"; readonly d: { readonly perMs: number } } | {
  readonly id?: string
  readonly t: "poll.create"
  readonly d: {
    readonly question: string
    readonly kind: PollKind
    readonly options: ReadonlyArray<string>
    readonly anonymous?: boolean
    readonly allowChange?: boolean
    readonly results?: PollResults
  }
} | {
  readonly id?: string
  readonly t: "poll.open"
  readonly d: { readonly id: string; readonly durationMs?: number }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "poll.vote"
  readonly d: { readonly id: string; readonly optionIds: ReadonlyArray<string> }
  readonly rev?: number
} | { readonly id?: string; readonly t: "poll.close"; readonly d: { readonly id: string }; readonly rev?: number } | {
  readonly id?: string
  readonly t: "poll.publish"
  readonly d: { readonly id: string; readonly on?: boolean }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "poll.delete"
  readonly d: { readonly id: string }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "reaction.send"
  readonly d: { readonly kind: ReactionKind; readonly n?: number }
} | { readonly id?: string; readonly t: "hand.raise"; readonly d?: { readonly note?: string } } | { readonly id?: string; readonly t: "hand.lower"; readonly d?: { readonly [key: string]: unknown } } | {
  readonly id?: string
  readonly t: "hand.lowerFor"
  readonly d: { readonly id: string } | { readonly all: true }
} | { readonly id?: string; readonly t: "stage.invite"; readonly d: { readonly id: string } } | { readonly id?: string; readonly t: "stage.accept"; readonly d?: { readonly [key: string]: unknown } } | { readonly id?: string; readonly t: "stage.leave"; readonly d?: { readonly [key: string]: unknown } } | {
  readonly id?: string
  readonly t: "breakout.plan"
  readonly d: {
    readonly size?: number
    readonly rooms?: number | ReadonlyArray<string>
    readonly strategy: "balanced" | "manual" | "self"
    readonly pinned?: { readonly [key: string]: number }
    readonly keepTogether?: ReadonlyArray<ReadonlyArray<string>>
    readonly keepApart?: ReadonlyArray<ReadonlyArray<string>>
    readonly seed?: number
  }
} | {
  readonly id?: string
  readonly t: "breakout.open"
  readonly d: { readonly planId: string; readonly durationMs?: number; readonly late?: "leastLoaded" | "ask" | "main" }
} | {
  readonly id?: string
  readonly t: "breakout.move"
  readonly d: { readonly id: string; readonly roomId: string | null }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "breakout.close"
  readonly d?: { readonly graceMs?: number }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "room.choose"
  readonly d: { readonly roomId: string }
  readonly rev?: number
} | { readonly id?: string; readonly t: "room.return"; readonly d?: { readonly [key: string]: unknown } } | { readonly id?: string; readonly t: "room.help"; readonly d?: { readonly text?: string } } | {
  readonly id?: string
  readonly t: "rotation.start"
  readonly d: {
    readonly roundSeconds: number
    readonly breakSeconds?: number
    readonly rounds: number | "exhaust"
    readonly groupSize?: number
    readonly odd?: "bye" | "trio"
  }
} | {
  readonly id?: string
  readonly t: "rotation.skip"
  readonly d?: { readonly [key: string]: unknown }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "rotation.pause"
  readonly d?: { readonly [key: string]: unknown }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "rotation.resume"
  readonly d?: { readonly [key: string]: unknown }
  readonly rev?: number
} | {
  readonly id?: string
  readonly t: "rotation.stop"
  readonly d?: { readonly [key: string]: unknown }
  readonly rev?: number
} | { readonly id?: string; readonly t: "rotation.opt"; readonly d: { readonly in: boolean } } | {
  readonly id?: string
  readonly t: "broadcast.start"
  readonly d?: { readonly phaseId?: string; readonly playbackUrl?: string }
} | { readonly id?: string; readonly t: "broadcast.pause"; readonly d?: { readonly phaseId?: string } } | { readonly id?: string; readonly t: "broadcast.resume"; readonly d?: { readonly phaseId?: string } } | { readonly id?: string; readonly t: "broadcast.stop"; readonly d?: { readonly phaseId?: string } } | { readonly id?: string; readonly t: "broadcast.ingest"; readonly d?: { readonly [key: string]: unknown } } | {
  readonly id?: string
  readonly t: "capture.start"
  readonly d: { readonly kinds: ReadonlyArray<CaptureKind> }
} | { readonly id?: string; readonly t: "capture.stop"; readonly d?: { readonly [key: string]: unknown } } | {
  readonly id?: string
  readonly t: "transcript.push"
  readonly d: { readonly segments: ReadonlyArray<TranscriptSegment> }
}

export type LobbyPolicy = "open" | "ask" | "closed"

/** The receiver: their role in the active phase and the commands that they may send now. */
export interface Me {
  readonly participantId: string
  readonly name: string
  readonly role: EventRole
  readonly can: ReadonlyArray<string>
  /** Chat targets to which the receiver may write. */
  readonly chatTo: ReadonlyArray<ChatTarget>
  readonly roomId: string | null
}

export interface MediaFailure { readonly code: MediaFailureCode; readonly detail: string }

export type MediaFailureCode = "upload_expired" | "too_large" | "unreadable_media" | "too_long" | "checksum_mismatch" | "nothing_in_range" | "track_not_copied" | "quota_exceeded" | "storage_full" | "recorder_failed" | "no_room" | "cut_off" | "processing_failed"

/** A seat in a room's call: on a media server, or without one in a browser-to-browser call, where browsers join `roomId` with `rtc.join`. */
export type MediaSeat = { readonly provider: "livekit"; readonly url: string; readonly token: string } | { readonly provider: "mesh"; readonly roomId: string }

export interface Member {
  readonly id: string
  readonly accountId: string
  readonly role: WorkspaceRole
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly joinedAt: string
}

export interface Membership {
  readonly id: string
  readonly eventId: string
  readonly userId: string
  readonly role: EventRole
  readonly createdAt: string
}

/** Answer to a correct password. `POST /v1/accounts/login/code` takes the token with a code of the second factor. */
export interface MfaChallenge {
  readonly mfaRequired: true
  readonly mfaToken: string
  /** An account with a passkey can also sign in with the passkey alone. */
  readonly methods: ReadonlyArray<"totp" | "recovery_code" | "passkey">
  readonly expiresAt: string
}

export type Modality = "broadcast" | "meeting" | "breakout" | "rotation"

/** Kinds of ephemeral dispatches that a socket may opt out of (`mute` of `identify`). */
export type OptOut = "reactions" | "transcript"

export type ParticipantKind = "user" | "guest" | "registrant" | "anonymous"

export interface ParticipantView {
  readonly participantId: string
  readonly name: string
  /** The effective role in the active phase. */
  readonly role: EventRole
  readonly roomId: string | null
  readonly hand: boolean
  readonly muted: boolean
  readonly joinedAt: string
  readonly kind: ParticipantKind
}

/** Fault of the last refused token of an integration. */
export type PartnerFault = "jwks_refused" | "jwks_unreachable" | "jwks_invalid" | "unknown_key" | "algorithm" | "signature" | "expired" | "not_yet_valid" | "claims" | "malformed"

export interface Passkey { readonly id: string; readonly name: string; readonly createdAt: string; readonly lastUsedAt: string | null }

export interface PersonalItem {
  readonly kind: "account" | "address" | "session" | "identity" | "workspaceMember" | "user" | "attendance" | "chatMessage" | "invite" | "membership" | "pollVote" | "question" | "questionVote" | "record" | "registration" | "tableNotes"
  readonly id: string
  readonly eventId: string | null
  /** Time of creation, where it is stored. */
  readonly at: string | null
  readonly data: { readonly [key: string]: unknown }
}

/** A phase in its REST form. */
export interface Phase {
  readonly id: string
  readonly eventId: string
  readonly position: number
  readonly modality: Modality
  readonly config: PhaseConfig
  readonly featureSet: ReadonlyArray<Feature>
  readonly status: PhaseStatus
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly timerEndsAt: string | null
  readonly extendedSeconds: number
}

/** A config from a client. Everybody at the event receives it, so invisible characters are removed. Its size is checked once, and not again for every answer that contains it. */
export type PhaseConfig = {
  readonly durationSeconds?: number
  readonly extendable?: boolean
  readonly onTimerEnd?: "hold" | "advance"
  readonly roomSize?: number
  readonly rounds?: number
  readonly roundSeconds?: number
  readonly lobby?: LobbyPolicy
  readonly moderated?: boolean
} & { readonly [key: string]: Json }

export interface PhaseInput { readonly modality: Modality; readonly config?: PhaseConfig; readonly featureSet?: ReadonlyArray<Feature> }

export type PhaseStatus = "pending" | "active" | "ended" | "skipped"

export interface PhaseView {
  readonly id: string
  readonly eventId: string
  readonly position: number
  readonly modality: Modality
  readonly config: PhaseConfig
  readonly featureSet: ReadonlyArray<Feature>
  readonly status: PhaseStatus
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly timerEndsAt: string | null
  readonly extendedSeconds: number
  readonly rev: number
}

/** `text` is for people and may change. */
export interface PlanNote {
  readonly code: "fewer_rooms" | "room_of_one" | "empty_rooms" | "pin_ignored" | "block_split" | "apart_together" | "manual_unplaced" | "self_unplaced"
  readonly text: string
}

export interface PlatformStatus {
  readonly release: string
  readonly at: string
  /** Set when the database is a copy that sends nothing to others; null for the original. */
  readonly quiet: {
    readonly since: string
    readonly signs: ReadonlyArray<string>
    readonly copied: { readonly deliveries: number; readonly letters: number }
  } | null
  /** Certificate of the server itself; null when it does not serve TLS. */
  readonly certificate: { readonly names: ReadonlyArray<string>; readonly endsAt: string | null; readonly problem: string | null } | null
  /** Backups of the embedded database; backups made by PostgreSQL's own tools are unknown to the server. */
  readonly backups: {
    readonly to: string | null
    readonly last: { readonly at: string; readonly bytes: number | null } | null
    readonly nextAt: string | null
    readonly failure: { readonly at: string; readonly problem: string } | null
    readonly folder: { readonly at: string; readonly bytes: number | null } | null
  }
  /** The process that answered. */
  readonly process: {
    readonly node: string
    readonly sockets: number
    readonly liveEvents: number
    readonly uptimeSeconds: number
    readonly memoryBytes: number
    readonly mediaFreeBytes: number | null
  }
  /** Empty when a single process runs. */
  readonly nodes: ReadonlyArray<{ readonly address: string; readonly node: string; readonly isLiving: boolean }>
  readonly liveEvents: {
    readonly total: number
    readonly newest: ReadonlyArray<{
      readonly id: string
      readonly title: string
      readonly workspaceId: string
      readonly workspaceSlug: string
      readonly startedAt: string | null
      readonly people: number
    }>
  }
  readonly backlog: {
    readonly deliveries: { readonly count: number; readonly overdueSeconds: number }
    readonly letters: { readonly count: number; readonly overdueSeconds: number }
    readonly media: { readonly count: number; readonly overdueSeconds: number }
  }
  /** The workspaces that use most of the shared resources. Uploads and encoders are counted in the answering process. */
  readonly shares: ReadonlyArray<{
    readonly workspaceId: string
    readonly workspaceSlug: string
    readonly uploads: number
    readonly encoders: number
    readonly jobsWaiting: number
    readonly jobSeconds: number
    readonly bytes: number
  }>
  /** The ten workspaces, keys and events with most requests and commands in the last minutes. */
  readonly busiest: {
    readonly seconds: number
    readonly missing: ReadonlyArray<string>
    readonly workspaces: ReadonlyArray<{
      readonly workspaceId: string
      readonly workspaceSlug: string
      readonly requests: number
      readonly commands: number
    }>
    readonly keys: ReadonlyArray<{ readonly keyId: string; readonly name: string; readonly workspaceId: string; readonly requests: number }>
    readonly events: ReadonlyArray<{
      readonly eventId: string
      readonly title: string
      readonly workspaceId: string
      readonly requests: number
      readonly commands: number
    }>
  }
  /** Failing webhook endpoints by origin of their address. */
  readonly failingWebhooks: ReadonlyArray<{
    readonly id: string
    readonly workspaceId: string
    readonly origin: string
    readonly status: "active" | "disabled"
    readonly failingSince: string | null
    readonly lastFailureAt: string
  }>
}

export type PollKind = "single" | "multi" | "rating"

/** A poll option with its votes. */
export interface PollOption { readonly id: string; readonly text: string; readonly votes: number }

export type PollResults = "live" | "afterVote" | "onPublish"

export interface PollTally {
  readonly id: string
  /** Votes per option, in the order of the options. */
  readonly counts: ReadonlyArray<number>
  readonly voters: number
}

/** `counts` (one per option, in the same order) is present for receivers who may see it. */
export interface PollView {
  readonly id: string
  readonly rev: number
  readonly question: string
  readonly kind: PollKind
  readonly options: ReadonlyArray<{ readonly id: string; readonly text: string }>
  readonly anonymous: boolean
  readonly allowChange: boolean
  readonly results: PollResults
  readonly status: "draft" | "open" | "closed"
  readonly published: boolean
  readonly counts?: ReadonlyArray<number>
  readonly voters?: number
  readonly createdAt: string
  readonly openedAt: string | null
  readonly closedAt: string | null
  readonly endsAt: string | null
}

export interface PreparedAnnouncementView {
  readonly id: string
  readonly text: string
  /** The rooms that will get it; null: everyone. */
  readonly roomIds: ReadonlyArray<string> | null
  /** Time of its preparation. */
  readonly at: string
}

/** Everyone, or for a large audience the counts and the people on stage. */
export type PresenceView = { readonly mode: "list"; readonly total: number; readonly list: ReadonlyArray<ParticipantView> } | {
  readonly mode: "summary"
  readonly total: number
  readonly byRole: { readonly [key: string]: number }
  readonly byRoom: { readonly [key: string]: number }
  readonly staff: ReadonlyArray<ParticipantView>
}

export interface PublishedEvent {
  readonly id: string
  readonly workspaceId: string
  readonly type: string
  readonly title: string
  readonly status: EventStatus
  readonly visibility: Visibility
  readonly scheduledAt: string | null
  readonly scheduledEndAt: string | null
  readonly allowAnonymousVoting: boolean
  readonly allowAnonymousQuestions: boolean
  readonly reminders: boolean
  readonly hostAbsence: HostAbsence
  readonly history: EventHistory
  readonly capacity: number | null
  readonly metadata: { readonly [key: string]: Json }
  readonly createdAt: string
  readonly updatedAt: string
  readonly publishedAt: string | null
  readonly cancelledAt: string | null
  readonly cancelReason: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly warnings: ReadonlyArray<EventWarning>
  readonly phases: ReadonlyArray<Phase>
  readonly activePhaseId: string | null
}

export interface QaSettings {
  /** Null: the phase's configuration applies. */
  readonly moderated: boolean | null
  readonly open: boolean
}

export interface Question {
  readonly id: string
  readonly eventId: string
  /** The phase that was active when the question was asked. */
  readonly phaseId: string | null
  readonly text: string
  readonly status: QuestionStatus
  readonly authorUserId: string | null
  readonly authorName: string | null
  readonly anonymous: boolean
  readonly pinned: boolean
  readonly votes: number
  readonly createdAt: string
  readonly answer: string | null
  readonly answeredAt: string | null
}

export interface QuestionInput {
  readonly text: string
  /** Signed-in people may ask without their name; a signed-out caller has none. */
  readonly anonymous?: boolean
}

/** Changes open to a moderator, in any state of the event; an absent key leaves its field unchanged. */
export interface QuestionPatch { readonly status?: QuestionStatus; readonly pinned?: boolean; readonly answer?: string }

export type QuestionStatus = "pending" | "approved" | "answered" | "hidden"

export interface QuestionView {
  readonly id: string
  readonly rev: number
  /** The phase and the room in which the question was asked. */
  readonly phaseId: string | null
  readonly roomId: string | null
  readonly text: string
  readonly status: QuestionStatus
  /** Id of the author; null for an anonymous question. */
  readonly authorId: string | null
  readonly authorName: string | null
  readonly anonymous: boolean
  readonly pinned: boolean
  readonly votes: number
  readonly createdAt: string
  readonly answer: string | null
  readonly answerMode: "live" | "text" | null
  readonly answeredAt: string | null
}

export type ReactionKind = "like" | "love" | "clap" | "laugh" | "wow" | "sad" | "fire" | "party"

/** The state at version `v`. Dispatches that follow continue each stream directly after `cursors`. With `resumed: false` it is the whole state, which replaces everything that the client held. */
export type Ready = {
  readonly resumed: false
  readonly reason: ReadyReason
  readonly epoch: string
  readonly v: number
  readonly cursors: { readonly [key: string]: number }
  readonly serverTime: number
  readonly tokenExpiresAt: string
  readonly me: Me
  readonly event: EventView
  readonly phase: PhaseView | null
  readonly phases: ReadonlyArray<PhaseView>
  readonly timers: ReadonlyArray<TimerView>
  readonly presence: PresenceView
  readonly questions: { readonly top: ReadonlyArray<QuestionView>; readonly moderated: boolean | null; readonly open: boolean }
  readonly chat: { readonly last: ReadonlyArray<ChatMessageView>; readonly slowMs: number }
  readonly polls: ReadonlyArray<PollView>
  readonly hands: { readonly count: number }
  readonly rooms: ReadonlyArray<RoomView>
  readonly breakout: BreakoutView | null
  readonly rotation: RotationView | null
  readonly broadcast: BroadcastView | null
  readonly capture: CaptureView
  readonly lobbyPolicy: LobbyPolicy
  readonly lobbySaid: LobbyPolicy | null
  readonly hostAbsence: HostAbsenceView | null
  readonly mine: { readonly questions: ReadonlyArray<QuestionView>; readonly votes: ReadonlyArray<string> }
  readonly pollVotes: { readonly [key: string]: ReadonlyArray<string> }
  readonly muted: { readonly until: string | null } | null
  readonly hand: HandView | null
  readonly stage: StageView | null
  readonly media?: MediaSeat
  readonly assignment: AssignmentView | null
  readonly roomChat: ReadonlyArray<ChatMessageView>
  readonly round: RotationRoundView | null
  readonly optedOut: boolean
  readonly hearsPolls: ReadonlyArray<PollTally>
  readonly moderation?: { readonly pendingCount: number; readonly pending: ReadonlyArray<QuestionView> }
  readonly staffChat?: ReadonlyArray<ChatMessageView>
  readonly preparedAnnouncements?: ReadonlyArray<PreparedAnnouncementView>
  readonly staffPolls?: ReadonlyArray<PollView>
  readonly signedOutVotes?: ReadonlyArray<SignedOutVotes>
  readonly handQueue?: { readonly items: ReadonlyArray<HandView>; readonly rev: number }
  readonly lobby?: { readonly total: number; readonly waiting: ReadonlyArray<WaitingView> }
  readonly blocked?: ReadonlyArray<string>
  readonly encoder?: EncoderView | null
} | {
  readonly resumed: true
  readonly epoch: string
  readonly v: number
  readonly cursors: { readonly [key: string]: number }
  readonly serverTime: number
  readonly tokenExpiresAt: string
  readonly me: Me
  readonly media?: MediaSeat | null
  readonly encoder?: EncoderView | null
}

export type ReadyReason = "new" | "gap" | "epoch" | "expired" | "roleChanged"

export interface Reconnect { readonly op: 7; readonly d: { readonly reason: "drain" | "moved"; readonly afterMs: number } }

export interface Recording {
  readonly id: string
  readonly eventId: string
  readonly phaseId: string | null
  readonly roomId: string | null
  readonly kind: RecordingKind
  readonly source: "upload" | "livekit" | "broadcast"
  readonly title: string | null
  readonly status: RecordingStatus
  readonly sizeBytes: number | null
  readonly contentType: string | null
  readonly durationMs: number | null
  readonly playbackUrl: string | null
  readonly downloadUrl: string | null
  readonly failure: MediaFailure | null
  readonly createdAt: string
}

/** `merged`: the whole event or phase; `room`: one of its rooms; `upload`: other media. */
export type RecordingKind = "merged" | "room" | "upload"

/** `ready` and `failed` are final. */
export type RecordingStatus = "uploading" | "processing" | "ready" | "failed"

export interface Refusal {
  readonly code: RefusalCode
  /** Text for people; may change. */
  readonly message: string
  /** The same command with the same id may succeed later. */
  readonly temporary?: boolean
  readonly retryAfterMs?: number
  /** The current entity, for a stale `rev`. */
  readonly current?: { readonly [key: string]: unknown }
}

export type RefusalCode = "bad_request" | "role_not_on_event" | "unknown_command" | "unauthorized" | "forbidden" | "feature_disabled" | "wrong_phase" | "not_found" | "conflict" | "rate_limited" | "too_large" | "event_full" | "muted" | "event_ended" | "unavailable" | "internal_error"

/** Reason to refuse a token: a fault of an integration's token, or a token of no active integration. */
export type RefusalReason = "jwks_refused" | "jwks_unreachable" | "jwks_invalid" | "unknown_key" | "algorithm" | "signature" | "expired" | "not_yet_valid" | "claims" | "malformed" | "unknown_issuer"

/** Reply and dispatch of one command may arrive in either order. */
export type ReplyFrame = {
  readonly op: 4
  readonly id?: string
  readonly ok: true
  readonly v: number
  readonly d: { readonly [key: string]: unknown }
  readonly dup?: true
} | { readonly op: 4; readonly id: string; readonly ok: false; readonly e: Refusal }

export interface RoomView {
  readonly id: string
  readonly name: string
  readonly count: number
  readonly open: boolean
  readonly rev: number
}

/** One round for one participant; without a room it is a bye. */
export interface RotationRoundView {
  readonly n: number
  readonly startsAt: string
  readonly endsAt: string
  readonly roomId: string | null
  readonly partners: ReadonlyArray<{ readonly participantId: string; readonly name: string }>
  readonly bye: boolean
  /** True: the members have met before, because no new partner was available. */
  readonly repeat: boolean
  /** Time to prepare before the round starts. */
  readonly leadMs: number
  readonly media?: MediaSeat
}

export interface RotationView {
  readonly id: string
  readonly phaseId: string
  readonly status: "round" | "break" | "paused" | "ended"
  readonly n: number
  readonly rounds: number | "exhaust"
  readonly roundSeconds: number
  readonly breakSeconds: number
  readonly groupSize: number
  readonly odd: "bye" | "trio"
  readonly startsAt: string | null
  readonly endsAt: string | null
  readonly remainingMs: number | null
  readonly pairs: number
  readonly byes: number
  readonly rev: number
}

/** The most that each peer may send to each other peer, depending on the current number of peers in the room. */
export interface RtcLimits {
  /** Limits of peers with video, and with audio only. */
  readonly maxPeers: number
  readonly maxAudioPeers: number
  /** Null: no video. */
  readonly video: { readonly width: number; readonly height: number; readonly frameRate: number; readonly maxKbps: number } | null
  readonly audio: { readonly maxKbps: number }
}

export type RtcPolicy = "all" | "relay"

/** The tracks that a peer sends. */
export interface RtcTracks { readonly audio: boolean; readonly video: boolean }

/** Number of anonymous voters of a poll or a question, and of their addresses, for staff. */
export interface SignedOutVotes {
  /** Id of the poll or question. */
  readonly of: string
  readonly voters: number
  readonly addresses: number
}

export interface StageView { readonly state: "invited" | "on"; readonly expiresAt: string | null }

/** Summary of an event in its recap. */
export interface Summary {
  /** Empty where no summary was written. */
  readonly text: string
  /** Speakers by number of words, descending. */
  readonly speakers: ReadonlyArray<{ readonly name: string; readonly words: number; readonly seconds: number }>
}

/** `userId` is the speaker's name when the captions do not name people by id. */
export interface TableDraft {
  readonly summary: {
    readonly tldr: string
    readonly themes: ReadonlyArray<{ readonly title: string; readonly summary: string }>
    readonly ideas: ReadonlyArray<string>
    readonly questions: ReadonlyArray<string>
    readonly perQuestion: ReadonlyArray<{ readonly ordinal: number; readonly question: string; readonly discussed: boolean; readonly summary: string }>
  }
  readonly stats: {
    readonly totalWords: number
    readonly promptsCovered: number
    readonly promptsTotal: number
    readonly lifetimeSeconds: number
    readonly headcount: number
  } | null
  readonly people: ReadonlyArray<{
    readonly userId: string
    readonly name: string | null
    readonly words: number
    readonly turns: number
    readonly badges: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly description: string
      readonly tier: number
      readonly icon: string
      readonly glyph?: string
    }>
  }>
}

export interface TableSummary {
  readonly event: EventReference
  readonly table: { readonly roomId: string; readonly number: number; readonly label: string }
  readonly recipientUserId: string
  readonly recipientName: string | null
  readonly summary: {
    readonly tldr: string
    readonly themes: ReadonlyArray<{ readonly title: string; readonly summary: string }>
    readonly ideas: ReadonlyArray<string>
    readonly questions: ReadonlyArray<string>
    readonly perQuestion: ReadonlyArray<{ readonly ordinal: number; readonly question: string; readonly discussed: boolean; readonly summary: string }>
  }
  readonly stats: {
    readonly totalWords: number
    readonly promptsCovered: number
    readonly promptsTotal: number
    readonly lifetimeSeconds: number
    readonly headcount: number
  } | null
  readonly people: ReadonlyArray<{
    readonly userId: string
    readonly name: string | null
    readonly words: number
    readonly turns: number
    readonly badges: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly description: string
      readonly tier: number
      readonly icon: string
      readonly glyph?: string
    }>
  }>
  readonly generatedAt: string
}

/** A deadline, not a countdown: draw `endsAt` minus the server's time. */
export interface TimerView {
  readonly id: string
  readonly scope: "phase" | "room" | "round" | "poll"
  /** Id of the timed entity, or the number of the round. */
  readonly ref: string
  readonly state: "running" | "paused" | "elapsed" | "cancelled"
  readonly startedAt: string
  readonly endsAt: string
  /** Set while the timer is paused. */
  readonly remainingMs?: number
  readonly extendedMs: number
  readonly rev: number
}

/** One stretch of speech. An interim segment (`final: false`) is replaced by the next one of the same `segment`. */
export interface TranscriptSegment {
  readonly segment: string
  readonly final: boolean
  /** A single line; breaks become spaces. */
  readonly speaker: string
  readonly lang: string
  /** Milliseconds since the event's start. */
  readonly t0: number
  readonly t1: number
  /** Lines without empty lines between them. */
  readonly text: string
  /** Room of a breakout or rotation in which this was said: sent to the people there, and in no transcript of the event. Absent: the main room. */
  readonly roomId?: string
}

/** Reason why the receiver's permissions changed. */
export type UpdateReason = "phase" | "token" | "role" | "stage"

export interface User {
  readonly id: string
  readonly externalSub: string
  readonly email: string | null
  readonly name: string | null
  readonly picture: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type Visibility = "public" | "unlisted" | "private"

export interface WaitingView {
  readonly participantId: string
  readonly name: string
  readonly kind: ParticipantKind
  readonly since: string
}

export type WebhookEventType = "event.published" | "event.rescheduled" | "event.cancelled" | "event.reinstated" | "event.started" | "event.ended" | "participant.joined" | "participant.left" | "broadcast.live" | "broadcast.paused" | "recording.ready" | "transcript.ready" | "clip.ready" | "question.created" | "question.answered" | "registration.created" | "registration.cancelled" | "phase.started" | "phase.ended" | "poll.opened" | "poll.closed" | "host.absent" | "host.returned" | "audit.created" | "webhook.disabled"

/** `role` is the caller's; the operator's list omits it. */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly requireMfa: boolean
  readonly sso: "optional" | "required"
  readonly createdAt: string
  readonly updatedAt: string
  readonly role?: WorkspaceRole
}

export type WorkspaceRole = "owner" | "admin" | "member"

export interface WorkspaceSessionView {
  readonly sessionToken: string
  readonly expiresAt: string
  readonly workspaceId: string
  readonly participant: {
    readonly userId: string
    readonly name: string | null
    readonly email: string | null
    readonly picture: string | null
  }
}
