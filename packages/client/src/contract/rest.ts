/** The REST client: one method per endpoint. Written from the contract by a test: do not edit. */
import type { CallSettings } from "../rest-call.ts"
import type {
  AccountView,
  ApiKey,
  ApiKeyWithSecret,
  AssertionResponse,
  AttemptError,
  BreakoutView,
  BroadcastState,
  BroadcastView,
  CaptureView,
  ChatMessageView,
  ChatTarget,
  Clip,
  DeliveredType,
  DeliveryStatus,
  EncoderView,
  Event,
  EventInput,
  EventPatch,
  EventReference,
  EventRole,
  EventStatus,
  EventView,
  EventWithPhases,
  Feature,
  GuestIntegration,
  GuestRefusal,
  HandView,
  HostAbsenceView,
  IngestAddress,
  Inspection,
  Json,
  KeyScope,
  ListedWebhookEventType,
  LiveCommand,
  LobbyPolicy,
  MediaFailure,
  Member,
  Membership,
  MfaChallenge,
  Modality,
  ParticipantKind,
  ParticipantView,
  Passkey,
  PersonalItem,
  Phase,
  PhaseConfig,
  PhaseInput,
  PhaseStatus,
  PhaseView,
  PlatformStatus,
  PollKind,
  PollOption,
  PollView,
  PreparedAnnouncementView,
  PresenceView,
  PublishedEvent,
  Question,
  QuestionInput,
  QuestionPatch,
  QuestionStatus,
  QuestionView,
  Recording,
  RecordingKind,
  RecordingStatus,
  Refusal,
  RoomView,
  RotationView,
  SignedOutVotes,
  Summary,
  TableDraft,
  TableSummary,
  TimerView,
  TranscriptSegment,
  User,
  Visibility,
  WaitingView,
  WebhookEventType,
  Workspace,
  WorkspaceRole,
  WorkspaceSessionView,
} from "./types.ts"

export interface RestClient {
  /** Create a draft event with its phases. */
  readonly createEvent: (request: { readonly payload: EventInput }, settings?: CallSettings) => Promise<Event>
  /** Events, newest first. */
  readonly listEvents: (request?: {
    readonly query?: {
      readonly limit?: number
      readonly cursor?: string
      readonly q?: string
      readonly status?: EventStatus
      readonly type?: string
      readonly from?: string
      readonly to?: string
    }
  }, settings?: CallSettings) => Promise<{ readonly events: ReadonlyArray<Event>; readonly nextCursor: string | null }>
  /** An event with its phases. */
  readonly getEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<EventWithPhases>
  /** Change an event; metadata is replaced wholesale. */
  readonly patchEvent: (request: { readonly params: { readonly id: string }; readonly payload?: EventPatch }, settings?: CallSettings) => Promise<Event>
  /** Delete an event for good; a live one ends first. */
  readonly deleteEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<void>
  /** Publish a draft. */
  readonly publishEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<PublishedEvent>
  /** Cancel an event before its start, and tell its people why. */
  readonly cancelEvent: (request: { readonly params: { readonly id: string }; readonly payload?: { readonly reason?: string } }, settings?: CallSettings) => Promise<EventWithPhases>
  /** Take a cancellation back. */
  readonly reinstateEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<EventWithPhases>
  /** Go live with the first phase. */
  readonly startEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<EventWithPhases>
  /** End the active phase and start the next; guarded by `phaseId` when given. */
  readonly advanceEvent: (request: { readonly params: { readonly id: string }; readonly payload?: { readonly phaseId?: string } }, settings?: CallSettings) => Promise<EventWithPhases>
  /** End the event at once. */
  readonly endEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<EventWithPhases>
  /** Append a phase. */
  readonly appendPhase: (request: { readonly params: { readonly id: string }; readonly payload: PhaseInput }, settings?: CallSettings) => Promise<Phase>
  /** Put the phases of an event that has not started in another order. */
  readonly orderPhases: (request: { readonly params: { readonly id: string }; readonly payload: { readonly phaseIds: ReadonlyArray<string> } }, settings?: CallSettings) => Promise<EventWithPhases>
  /** Replace a phase's config or feature set. */
  readonly patchPhase: (request: {
    readonly params: { readonly id: string }
    readonly payload?: { readonly config?: PhaseConfig; readonly featureSet?: ReadonlyArray<Feature> }
  }, settings?: CallSettings) => Promise<Phase>
  /** Remove a phase from an event that has not started. */
  readonly deletePhase: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<void>
  /** Add seconds to the active phase's timer. */
  readonly extendPhase: (request: { readonly params: { readonly id: string }; readonly payload: { readonly seconds: number } }, settings?: CallSettings) => Promise<Phase>
  /** An event's questions with their votes, most votes first. */
  readonly listQuestions: (request: {
    readonly params: { readonly id: string }
    readonly query?: {
      readonly limit?: number
      readonly cursor?: string
      readonly format?: "json" | "csv"
      readonly status?: QuestionStatus
      readonly sort?: "votes" | "createdAt"
    }
  }, settings?: CallSettings) => Promise<{ readonly questions: ReadonlyArray<Question>; readonly nextCursor: string | null } | string>
  /** Approve, hide, pin or answer a question; an answer alone marks it answered. */
  readonly patchQuestion: (request: { readonly params: { readonly id: string }; readonly payload?: QuestionPatch }, settings?: CallSettings) => Promise<Question>
  /** Ask a question; signed out where a public event allows it. */
  readonly askQuestion: (request: { readonly params: { readonly id: string }; readonly payload: QuestionInput }, settings?: CallSettings) => Promise<Question>
  /** Vote for a question, once however often it is sent. */
  readonly voteQuestion: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{ readonly questionId: string; readonly votes: number; readonly voted: boolean }>
  /** Take the vote back. */
  readonly unvoteQuestion: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{ readonly questionId: string; readonly votes: number; readonly voted: boolean }>
  /** Send one command to the live event. */
  readonly sendCommand: (request: { readonly params: { readonly id: string }; readonly payload: LiveCommand }, settings?: CallSettings) => Promise<{ readonly v: number; readonly d: { readonly [key: string]: unknown }; readonly dup?: boolean }>
  /** Send up to 50 commands at once. */
  readonly sendCommands: (request: {
    readonly params: { readonly id: string }
    readonly payload: { readonly commands: ReadonlyArray<LiveCommand>; readonly atomic?: boolean }
  }, settings?: CallSettings) => Promise<{
    readonly outcomes: ReadonlyArray<{
      readonly id: string
      readonly ok: boolean
      readonly v?: number
      readonly d?: { readonly [key: string]: unknown }
      readonly dup?: boolean
      readonly e?: Refusal
    }>
  }>
  /** The event as hosts see it now. */
  readonly getLiveState: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly epoch: string
    readonly v: number
    readonly serverTime: number
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
    readonly moderation?: { readonly pendingCount: number; readonly pending: ReadonlyArray<QuestionView> }
    readonly staffChat?: ReadonlyArray<ChatMessageView>
    readonly preparedAnnouncements?: ReadonlyArray<PreparedAnnouncementView>
    readonly staffPolls?: ReadonlyArray<PollView>
    readonly signedOutVotes?: ReadonlyArray<SignedOutVotes>
    readonly handQueue?: { readonly items: ReadonlyArray<HandView>; readonly rev: number }
    readonly lobby?: { readonly total: number; readonly waiting: ReadonlyArray<WaitingView> }
    readonly blocked?: ReadonlyArray<string>
    readonly encoder?: EncoderView | null
    readonly can: ReadonlyArray<string>
  }>
  /** The people who are at the event now. */
  readonly listParticipants: (request: {
    readonly params: { readonly id: string }
    readonly query?: {
      readonly limit?: number
      readonly cursor?: string
      readonly role?: EventRole
      readonly roomId?: string
      readonly q?: string
    }
  }, settings?: CallSettings) => Promise<{ readonly participants: ReadonlyArray<ParticipantView>; readonly nextCursor: string | null }>
  /** The rooms of the active phase. */
  readonly listRooms: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{ readonly rooms: ReadonlyArray<RoomView>; readonly nextCursor: string | null }>
  /** The people who were at the event, and how long. */
  readonly listAttendance: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv" }
  }, settings?: CallSettings) => Promise<{
    readonly attendees: ReadonlyArray<{
      readonly participantId: string
      readonly userId: string | null
      readonly name: string
      readonly email: string | null
      readonly role: EventRole
      readonly kind: ParticipantKind
      readonly present: boolean
      readonly firstJoinedAt: string
      readonly lastLeftAt: string | null
      readonly seconds: number
      readonly stays: number
    }>
    readonly nextCursor: string | null
  } | string>
  /** The people who have taken a place, the first first. */
  readonly listRegistrations: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv"; readonly q?: string }
  }, settings?: CallSettings) => Promise<{
    readonly registrations: ReadonlyArray<{
      readonly id: string
      readonly eventId: string
      readonly name: string
      readonly email: string
      readonly createdAt: string
    }>
    readonly nextCursor: string | null
  } | string>
  /** Cancel a registration: its place is free, its links and sessions end. */
  readonly cancelRegistration: (request: { readonly params: { readonly id: string; readonly registrationId: string } }, settings?: CallSettings) => Promise<void>
  /** Send the email with the entry link again. */
  readonly resendRegistration: (request: { readonly params: { readonly id: string; readonly registrationId: string } }, settings?: CallSettings) => Promise<{ readonly sent: boolean }>
  /** The messages of the event and its rooms, the first first. */
  readonly listChat: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv" }
  }, settings?: CallSettings) => Promise<{
    readonly messages: ReadonlyArray<{
      readonly id: string
      readonly to: ChatTarget
      readonly roomId: string | null
      readonly participantId: string
      readonly name: string
      readonly role: EventRole
      readonly text: string
      readonly replyTo: string | null
      readonly at: string
    }>
    readonly nextCursor: string | null
  } | string>
  /** The polls with their results, the first first. */
  readonly listPolls: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv" }
  }, settings?: CallSettings) => Promise<{
    readonly polls: ReadonlyArray<{
      readonly id: string
      readonly question: string
      readonly kind: PollKind
      readonly status: "draft" | "open" | "closed"
      readonly voters: number
      readonly options: ReadonlyArray<PollOption>
      readonly createdAt: string
      readonly openedAt: string | null
      readonly closedAt: string | null
    }>
    readonly nextCursor: string | null
  } | string>
  /** The rounds and breakouts that were held: the people who have met. */
  readonly listRounds: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv" }
  }, settings?: CallSettings) => Promise<{
    readonly rounds: ReadonlyArray<{
      readonly id: string
      readonly number: number
      readonly at: string
      readonly groups: ReadonlyArray<ReadonlyArray<string>>
      readonly byes: ReadonlyArray<string>
    }>
    readonly nextCursor: string | null
  } | string>
  /** The event's join code; the first call makes it. */
  readonly createJoinCode: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{ readonly code: string; readonly url: string; readonly qrUrl: string }>
  /** The event of a join code. */
  readonly findByJoinCode: (request: { readonly params: { readonly code: string } }, settings?: CallSettings) => Promise<{
    readonly eventId: string
    readonly title: string
    readonly status: EventStatus
    readonly scheduledAt: string | null
    readonly url: string
  }>
  /** The address of the event's page as a QR code. */
  readonly getQrCode: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<string>
  /** An event as its lobby and stage show it. */
  readonly getPublicEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly title: string
    readonly type: string
    readonly description: string | null
    readonly status: EventStatus
    readonly visibility: Visibility
    readonly scheduledAt: string | null
    readonly scheduledEndAt: string | null
    readonly cancelledAt: string | null
    readonly cancelReason: string | null
    readonly startedAt: string | null
    readonly endedAt: string | null
    readonly capacity: { readonly total: number; readonly remaining: number } | null
    readonly phases: ReadonlyArray<{
      readonly id: string
      readonly position: number
      readonly modality: Modality
      readonly featureSet: ReadonlyArray<Feature>
      readonly status: PhaseStatus
      readonly startedAt: string | null
      readonly timerEndsAt: string | null
    }>
    readonly cast: ReadonlyArray<{ readonly name: string; readonly role: EventRole }>
    readonly speakers: ReadonlyArray<{ readonly name: string; readonly role: EventRole }>
    readonly activeBroadcast: {
      readonly broadcastId: string
      readonly phaseId: string
      readonly status: "idle" | "live" | "paused" | "ended"
      readonly playbackUrl: string | null
    } | null
  }>
  /** The recap of an event: its latest recording, clips and a summary. */
  readonly getRecap: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly event: {
      readonly id: string
      readonly title: string
      readonly type: string
      readonly description: string | null
      readonly status: EventStatus
      readonly visibility: Visibility
      readonly scheduledAt: string | null
      readonly scheduledEndAt: string | null
      readonly cancelledAt: string | null
      readonly cancelReason: string | null
      readonly startedAt: string | null
      readonly endedAt: string | null
    }
    readonly recording: {
      readonly id: string
      readonly kind: string
      readonly title: string | null
      readonly status: RecordingStatus
      readonly durationMs: number | null
      readonly playbackUrl: string | null
      readonly createdAt: string
    } | null
    readonly clips: ReadonlyArray<{
      readonly id: string
      readonly title: string | null
      readonly status: RecordingStatus
      readonly durationMs: number
      readonly playbackUrl: string | null
      readonly createdAt: string
    }>
    readonly replay: { readonly offsetMs: number } | null
    readonly summary: Summary | null
    readonly cast: ReadonlyArray<{ readonly name: string; readonly role: EventRole }>
  }>
  /** The replay of an event: recording, what was derived from it, and who was on stage. */
  readonly getContent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly event: {
      readonly id: string
      readonly title: string
      readonly type: string
      readonly description: string | null
      readonly status: EventStatus
      readonly visibility: Visibility
      readonly scheduledAt: string | null
      readonly scheduledEndAt: string | null
      readonly cancelledAt: string | null
      readonly cancelReason: string | null
      readonly startedAt: string | null
      readonly endedAt: string | null
    }
    readonly recording: {
      readonly id: string
      readonly kind: string
      readonly title: string | null
      readonly status: RecordingStatus
      readonly durationMs: number | null
      readonly playbackUrl: string | null
      readonly createdAt: string
    } | null
    readonly derivations: ReadonlyArray<{ readonly id: string; readonly kind: string; readonly status: RecordingStatus; readonly url: string | null }>
    readonly media: ReadonlyArray<{
      readonly id: string
      readonly title: string | null
      readonly status: RecordingStatus
      readonly durationMs: number
      readonly playbackUrl: string | null
      readonly createdAt: string
    }>
    readonly cast: ReadonlyArray<{ readonly name: string; readonly role: EventRole }>
  }>
  /** One recording or clip, shown to anyone who may see its event. */
  readonly getAsset: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly kind: string
    readonly title: string | null
    readonly status: RecordingStatus
    readonly durationMs: number | null
    readonly playbackUrl: string | null
    readonly event: EventReference
  }>
  /** The notes of one table, for who holds the token from their email. */
  readonly getTableSummary: (request: { readonly params: { readonly id: string }; readonly query: { readonly t: string } }, settings?: CallSettings) => Promise<TableSummary>
  /** The event for a calendar (RFC 5545). */
  readonly getCalendar: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<string>
  /** Take a place; the entry link comes by mail. */
  readonly register: (request: {
    readonly params: { readonly id: string }
    readonly payload: { readonly name: string; readonly email: string }
  }, settings?: CallSettings) => Promise<{ readonly registered: boolean; readonly alreadyRegistered: boolean }>
  /** Exchange the token of an entry link for a session. */
  readonly enter: (request: { readonly params: { readonly id: string }; readonly payload: { readonly token: string } }, settings?: CallSettings) => Promise<{ readonly sessionToken: string; readonly eventId: string; readonly name: string | null }>
  /** Users, newest first. */
  readonly listUsers: (request?: { readonly query?: { readonly limit?: number; readonly cursor?: string } }, settings?: CallSettings) => Promise<{ readonly users: ReadonlyArray<User>; readonly nextCursor: string | null }>
  /** Create or update a user by externalSub. */
  readonly upsertUser: (request: {
    readonly payload: {
      readonly externalSub: string
      readonly email?: string | null
      readonly name?: string | null
      readonly picture?: string | null
    }
  }, settings?: CallSettings) => Promise<User>
  /** Delete a user and erase the person from the workspace's events. */
  readonly deleteUser: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<void>
  /** A session token for one of the integrator's own users. */
  readonly createUserSession: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{ readonly sessionToken: string; readonly expiresAt: string; readonly userId: string }>
  /** Give a user a role on the event. */
  readonly createMembership: (request: {
    readonly params: { readonly id: string }
    readonly payload: { readonly userId: string; readonly role: EventRole }
  }, settings?: CallSettings) => Promise<Membership>
  /** Roles on the event, newest first. */
  readonly listMemberships: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string; readonly format?: "json" | "csv" }
  }, settings?: CallSettings) => Promise<{
    readonly memberships: ReadonlyArray<{
      readonly id: string
      readonly eventId: string
      readonly userId: string
      readonly role: EventRole
      readonly createdAt: string
      readonly name: string | null
      readonly email: string | null
    }>
    readonly nextCursor: string | null
  } | string>
  /** Take a role on the event; what else lets the user in counts from then on. */
  readonly deleteMembership: (request: { readonly params: { readonly id: string; readonly membershipId: string } }, settings?: CallSettings) => Promise<void>
  /** Everything that is stored about a user. */
  readonly exportUser: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{ readonly items: ReadonlyArray<PersonalItem>; readonly nextCursor: string | null }>
  /** Everything that is stored about whoever registered under an address. */
  readonly exportRegistrant: (request: {
    readonly params: { readonly id: string }
    readonly query: { readonly limit?: number; readonly cursor?: string; readonly email: string }
  }, settings?: CallSettings) => Promise<{ readonly items: ReadonlyArray<PersonalItem>; readonly nextCursor: string | null }>
  /** Erase whoever registered under an address from the workspace's events. */
  readonly eraseRegistrant: (request: { readonly params: { readonly id: string }; readonly query: { readonly email: string } }, settings?: CallSettings) => Promise<void>
  /** Everything that is stored about a partner's guest. */
  readonly exportGuest: (request: {
    readonly params: { readonly id: string }
    readonly query: { readonly limit?: number; readonly cursor?: string; readonly issuer: string; readonly subject: string }
  }, settings?: CallSettings) => Promise<{ readonly items: ReadonlyArray<PersonalItem>; readonly nextCursor: string | null }>
  /** Erase a partner's guest from the workspace's events. */
  readonly eraseGuest: (request: {
    readonly params: { readonly id: string }
    readonly query: { readonly issuer: string; readonly subject: string }
  }, settings?: CallSettings) => Promise<void>
  /** The same, with the guest in the body: for a subject that is too long for an address. */
  readonly exportNamedGuest: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
    readonly payload: { readonly issuer: string; readonly subject: string }
  }, settings?: CallSettings) => Promise<{ readonly items: ReadonlyArray<PersonalItem>; readonly nextCursor: string | null }>
  /** The same, with the guest in the body: for a subject that is too long for an address. */
  readonly eraseNamedGuest: (request: {
    readonly params: { readonly id: string }
    readonly payload: { readonly issuer: string; readonly subject: string }
  }, settings?: CallSettings) => Promise<void>
  /** A token that opens a gateway socket within two minutes. */
  readonly createGatewayToken: (request: { readonly payload: { readonly eventId: string; readonly replay?: boolean } }, settings?: CallSettings) => Promise<{
    readonly token: string
    readonly expiresAt: string
    readonly url: string
    readonly eventId: string
    readonly role: EventRole
    readonly participantId: string
    readonly anonymous: boolean
  }>
  /** Register an issuer with exactly one of `jwksUrl` and `publicKeyPem`. */
  readonly createGuestIntegration: (request: {
    readonly params: { readonly id: string }
    readonly payload: { readonly issuer: string; readonly jwksUrl?: string; readonly publicKeyPem?: string }
  }, settings?: CallSettings) => Promise<GuestIntegration>
  /** Active guest integrations. */
  readonly listGuestIntegrations: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{ readonly integrations: ReadonlyArray<GuestIntegration>; readonly nextCursor: string | null }>
  /** Why tokens of guests were refused: the last time of each reason, newest first. */
  readonly listGuestRefusals: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{ readonly refusals: ReadonlyArray<GuestRefusal> }>
  /** Revoke an integration; sessions that were made before run out by themselves. */
  readonly deleteGuestIntegration: (request: { readonly params: { readonly id: string; readonly integrationId: string } }, settings?: CallSettings) => Promise<void>
  /** Exchange a partner's signed token for a guest session on the event. */
  readonly createGuestSession: (request: { readonly params: { readonly id: string }; readonly payload: { readonly token: string } }, settings?: CallSettings) => Promise<{
    readonly sessionToken: string
    readonly expiresAt: string
    readonly eventId: string
    readonly participantId: string
    readonly name: string
    readonly role: EventRole
  }>
  /** Register an endpoint; its signing secret is shown once. */
  readonly createWebhook: (request: {
    readonly payload: {
      readonly url: string
      readonly eventId?: string
      readonly eventTypes?: ReadonlyArray<WebhookEventType>
      readonly headers?: ReadonlyArray<{ readonly name: string; readonly value: string }>
    }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly url: string
    readonly eventId: string | null
    readonly eventTypes: ReadonlyArray<WebhookEventType>
    readonly headerNames: ReadonlyArray<string>
    readonly status: "active" | "disabled"
    readonly disabledReason: "manual" | "failing" | "gone" | null
    readonly createdAt: string
    readonly lastSuccessAt: string | null
    readonly lastFailureAt: string | null
    readonly secret: string
  }>
  /** Endpoints, without secrets. */
  readonly listWebhooks: (request?: { readonly query?: { readonly limit?: number; readonly cursor?: string } }, settings?: CallSettings) => Promise<{
    readonly webhooks: ReadonlyArray<{
      readonly id: string
      readonly url: string
      readonly eventId: string | null
      readonly eventTypes: ReadonlyArray<WebhookEventType>
      readonly headerNames: ReadonlyArray<string>
      readonly status: "active" | "disabled"
      readonly disabledReason: "manual" | "failing" | "gone" | null
      readonly createdAt: string
      readonly lastSuccessAt: string | null
      readonly lastFailureAt: string | null
    }>
    readonly nextCursor: string | null
  }>
  /** The types that `eventTypes` takes, each with the JSON Schema of its body. */
  readonly listWebhookEventTypes: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly eventTypes: ReadonlyArray<ListedWebhookEventType> }>
  /** Change an endpoint; while it is disabled its deliveries are skipped. */
  readonly patchWebhook: (request: {
    readonly params: { readonly id: string }
    readonly payload?: {
      readonly url?: string
      readonly eventTypes?: ReadonlyArray<WebhookEventType>
      readonly headers?: ReadonlyArray<{ readonly name: string; readonly value: string }>
      readonly status?: "active" | "disabled"
    }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly url: string
    readonly eventId: string | null
    readonly eventTypes: ReadonlyArray<WebhookEventType>
    readonly headerNames: ReadonlyArray<string>
    readonly status: "active" | "disabled"
    readonly disabledReason: "manual" | "failing" | "gone" | null
    readonly createdAt: string
    readonly lastSuccessAt: string | null
    readonly lastFailureAt: string | null
  }>
  /** Remove an endpoint; deliveries stop at once. */
  readonly deleteWebhook: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<void>
  /** Replace the signing secret; for a day the one before it signs too. */
  readonly rotateWebhookSecret: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly url: string
    readonly eventId: string | null
    readonly eventTypes: ReadonlyArray<WebhookEventType>
    readonly headerNames: ReadonlyArray<string>
    readonly status: "active" | "disabled"
    readonly disabledReason: "manual" | "failing" | "gone" | null
    readonly createdAt: string
    readonly lastSuccessAt: string | null
    readonly lastFailureAt: string | null
    readonly secret: string
    readonly previousSecretExpiresAt: string
  }>
  /** Send a signed `ping` to this endpoint, whatever types it wants. */
  readonly pingWebhook: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly webhookId: string
    readonly occurrenceId: string
    readonly type: DeliveredType
    readonly eventId: string | null
    readonly status: DeliveryStatus
    readonly attemptCount: number
    readonly lastStatusCode: number | null
    readonly lastError: AttemptError | null
    readonly nextAttemptAt: string | null
    readonly createdAt: string
    readonly finishedAt: string | null
  }>
  /** Send an example of each type that this endpoint wants. */
  readonly sendWebhookExamples: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{ readonly deliveries: number }>
  /** Deliver again all occurrences since a time: the same ids and bodies. */
  readonly replayWebhook: (request: { readonly params: { readonly id: string }; readonly payload: { readonly since: string } }, settings?: CallSettings) => Promise<{ readonly deliveries: number; readonly nextSince: string | null }>
  /** Deliveries of the last thirty days, newest first. */
  readonly listWebhookDeliveries: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string; readonly status?: DeliveryStatus }
  }, settings?: CallSettings) => Promise<{
    readonly deliveries: ReadonlyArray<{
      readonly id: string
      readonly webhookId: string
      readonly occurrenceId: string
      readonly type: DeliveredType
      readonly eventId: string | null
      readonly status: DeliveryStatus
      readonly attemptCount: number
      readonly lastStatusCode: number | null
      readonly lastError: AttemptError | null
      readonly nextAttemptAt: string | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }>
    readonly nextCursor: string | null
  }>
  /** A delivery with its attempts. */
  readonly getWebhookDelivery: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly webhookId: string
    readonly occurrenceId: string
    readonly type: DeliveredType
    readonly eventId: string | null
    readonly status: DeliveryStatus
    readonly attemptCount: number
    readonly lastStatusCode: number | null
    readonly lastError: AttemptError | null
    readonly nextAttemptAt: string | null
    readonly createdAt: string
    readonly finishedAt: string | null
    readonly body: { readonly [key: string]: Json } | null
    readonly attempts: ReadonlyArray<{
      readonly number: number
      readonly startedAt: string
      readonly durationMs: number
      readonly outcome: "delivered" | "failed" | "rejected"
      readonly statusCode: number | null
      readonly error: AttemptError | null
      readonly nextAttemptAt: string | null
    }>
  }>
  /** Deliver the same occurrence once more: the same id and body. */
  readonly redeliverWebhookDelivery: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly webhookId: string
    readonly occurrenceId: string
    readonly type: DeliveredType
    readonly eventId: string | null
    readonly status: DeliveryStatus
    readonly attemptCount: number
    readonly lastStatusCode: number | null
    readonly lastError: AttemptError | null
    readonly nextAttemptAt: string | null
    readonly createdAt: string
    readonly finishedAt: string | null
  }>
  /** Occurrences, for a program that cannot receive webhooks. */
  readonly listOccurrences: (request?: { readonly query?: { readonly after?: string; readonly limit?: number; readonly wait?: number } }, settings?: CallSettings) => Promise<{
    readonly occurrences: ReadonlyArray<{ readonly [key: string]: Json }>
    readonly nextCursor: string
    readonly hasMore: boolean
    readonly completeSince: string
  }>
  /** Go live, or on again after a pause; only the active broadcast phase. */
  readonly startBroadcast: (request: { readonly params: { readonly id: string }; readonly payload?: { readonly playbackUrl?: string } }, settings?: CallSettings) => Promise<BroadcastState>
  /** Pause the broadcast. */
  readonly pauseBroadcast: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<BroadcastState>
  /** Go on after a pause. */
  readonly resumeBroadcast: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<BroadcastState>
  /** End the broadcast for good. */
  readonly stopBroadcast: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<BroadcastState>
  /** The broadcast of a phase, and the state of its encoder. */
  readonly getBroadcast: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<BroadcastState>
  /** An address for the encoder of a live broadcast, until the broadcast ends; the address before is refused from now on. */
  readonly createIngest: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<IngestAddress>
  /** Begin a recording and get the address for its bytes. */
  readonly createRecording: (request: {
    readonly params: { readonly id: string }
    readonly payload?: {
      readonly kind?: RecordingKind
      readonly phaseId?: string
      readonly roomId?: string
      readonly title?: string
      readonly sizeBytes?: number
    }
  }, settings?: CallSettings) => Promise<{
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
    readonly uploadUrl: string
    readonly expiresAt: string
    readonly parts: { readonly sizeBytes: number; readonly maxParts: number } | null
  }>
  /** Addresses of the parts of an upload, at most 1,000 at once. */
  readonly addressParts: (request: { readonly params: { readonly id: string }; readonly payload: { readonly from: number; readonly to: number } }, settings?: CallSettings) => Promise<{
    readonly parts: ReadonlyArray<{ readonly number: number; readonly sizeBytes: number; readonly url: string }>
  }>
  /** All bytes are there: 202 when their inspection begins, 200 when it had begun or the recording is ready. */
  readonly completeRecording: (request: {
    readonly params: { readonly id: string }
    readonly payload?: {
      readonly sizeBytes?: number
      readonly parts?: ReadonlyArray<{ readonly number: number; readonly etag: string }>
      readonly sha256?: string
    }
  }, settings?: CallSettings) => Promise<Recording>
  /** The event's recordings, newest first. */
  readonly listRecordings: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{ readonly recordings: ReadonlyArray<Recording>; readonly nextCursor: string | null }>
  /** A recording, with signed addresses once it is ready. */
  readonly getRecording: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<Recording>
  /** Delete a recording with its bytes and all that was made from it. */
  readonly deleteRecording: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<void>
  /** Cut a part of at most an hour out of a recording. */
  readonly createClip: (request: {
    readonly params: { readonly id: string }
    readonly payload: { readonly startMs: number; readonly endMs: number; readonly title?: string; readonly exact?: "inside" }
  }, settings?: CallSettings) => Promise<Clip>
  /** The clips of the event's recordings, newest first. */
  readonly listClips: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{ readonly clips: ReadonlyArray<Clip>; readonly nextCursor: string | null }>
  /** A clip, with signed addresses once it is ready. */
  readonly getClip: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<Clip>
  /** Delete a clip with its bytes. */
  readonly deleteClip: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<void>
  /** Show people at the live event what was said; the active phase must have the feature `transcript`. */
  readonly pushTranscript: (request: {
    readonly params: { readonly id: string }
    readonly payload: { readonly segments: ReadonlyArray<TranscriptSegment> }
  }, settings?: CallSettings) => Promise<{ readonly accepted: number }>
  /** Give a recording its transcript as JSON, WebVTT or SubRip; 200 when it replaces another one. */
  readonly putTranscript: (request: {
    readonly params: { readonly id: string }
    readonly payload: {
      readonly segments: ReadonlyArray<{
        readonly t0: number
        readonly t1: number
        readonly speaker?: string
        readonly lang?: string
        readonly text: string
      }>
    } | string
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly eventId: string
    readonly recordingId: string | null
    readonly createdAt: string
    readonly segments: number
  }>
  /** A recording's transcript, whole or the segments with some words. */
  readonly getTranscript: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly format?: "json" | "vtt" | "srt" | "txt"; readonly q?: string }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly eventId: string
    readonly recordingId: string | null
    readonly createdAt: string
    readonly segments: ReadonlyArray<{
      readonly t0: number
      readonly t1: number
      readonly speaker: string
      readonly lang: string
      readonly text: string
    }>
  } | string>
  /** The transcript of the event's captions, or else the newest of its recordings'. */
  readonly getEventTranscript: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly format?: "json" | "vtt" | "srt" | "txt"; readonly q?: string }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly eventId: string
    readonly recordingId: string | null
    readonly createdAt: string
    readonly segments: ReadonlyArray<{
      readonly t0: number
      readonly t1: number
      readonly speaker: string
      readonly lang: string
      readonly text: string
    }>
  } | string>
  /** Write the summary that the recap shows; it replaces a model's. */
  readonly putSummary: (request: {
    readonly params: { readonly id: string }
    readonly payload: {
      readonly text: string
      readonly speakers?: ReadonlyArray<{ readonly name: string; readonly words: number; readonly seconds: number }>
    }
  }, settings?: CallSettings) => Promise<Summary>
  /** Store the notes of one table and mail them to those who sat there. */
  readonly putTableSummary: (request: {
    readonly params: { readonly id: string; readonly roomId: string }
    readonly payload: {
      readonly table: { readonly number: number; readonly label: string }
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
      readonly recipients: ReadonlyArray<{ readonly userId: string; readonly name?: string | null; readonly email?: string | null }>
    }
  }, settings?: CallSettings) => Promise<{
    readonly eventId: string
    readonly roomId: string
    readonly generatedAt: string
    readonly recipients: ReadonlyArray<{ readonly userId: string; readonly mailed: boolean; readonly url?: string }>
  }>
  /** Notes of one table as its captions give them, to be looked through and stored; nothing is stored or mailed. */
  readonly draftTableSummary: (request: { readonly params: { readonly id: string; readonly roomId: string } }, settings?: CallSettings) => Promise<TableDraft>
  /** Create a workspace with its first API key. */
  readonly createWorkspace: (request: { readonly payload: { readonly name: string; readonly slug?: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly name: string
    readonly slug: string
    readonly requireMfa: boolean
    readonly sso: "optional" | "required"
    readonly createdAt: string
    readonly updatedAt: string
    readonly role: WorkspaceRole
    readonly apiKey: {
      readonly id: string
      readonly name: string | null
      readonly secret: string
      readonly prefix: string
      readonly createdAt: string
    }
  }>
  /** The caller's workspaces; all of them with the platform key. */
  readonly listWorkspaces: (request?: { readonly query?: { readonly limit?: number; readonly cursor?: string } }, settings?: CallSettings) => Promise<{ readonly workspaces: ReadonlyArray<Workspace>; readonly nextCursor: string | null }>
  /** Rename a workspace, change its slug, or ask its members for a second factor. */
  readonly patchWorkspace: (request: {
    readonly params: { readonly id: string }
    readonly payload?: {
      readonly name?: string
      readonly slug?: string
      readonly requireMfa?: boolean
      readonly sso?: "optional" | "required"
    }
  }, settings?: CallSettings) => Promise<Workspace>
  /** Delete a workspace with everything in it; its slug confirms. */
  readonly deleteWorkspace: (request: { readonly params: { readonly id: string }; readonly payload: { readonly slug: string } }, settings?: CallSettings) => Promise<void>
  /** Members with their role and primary address. */
  readonly listMembers: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{ readonly members: ReadonlyArray<Member>; readonly nextCursor: string | null }>
  /** Change a member's role; owners are not changed here. */
  readonly patchMember: (request: {
    readonly params: { readonly id: string; readonly memberId: string }
    readonly payload: { readonly role: "member" | "admin" }
  }, settings?: CallSettings) => Promise<Member>
  /** Remove a member; owners cannot be removed. */
  readonly removeMember: (request: { readonly params: { readonly id: string; readonly memberId: string } }, settings?: CallSettings) => Promise<void>
  /** Leave; the only owner cannot. */
  readonly leaveWorkspace: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<void>
  /** Make a member an owner too. */
  readonly makeOwner: (request: { readonly params: { readonly id: string }; readonly payload: { readonly memberId: string } }, settings?: CallSettings) => Promise<Member>
  /** A short-lived session token and the caller's participant identity. */
  readonly createWorkspaceSession: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<WorkspaceSessionView>
  /** API keys with their state, never their secrets. */
  readonly listApiKeys: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{ readonly apiKeys: ReadonlyArray<ApiKey>; readonly nextCursor: string | null }>
  /** Create an API key; its secret is shown once. */
  readonly createApiKey: (request: {
    readonly params: { readonly id: string }
    readonly payload?: {
      readonly name?: string | null
      readonly expiresAt?: string | null
      readonly scopes?: ReadonlyArray<KeyScope>
      readonly eventIds?: ReadonlyArray<string> | null
    }
  }, settings?: CallSettings) => Promise<ApiKeyWithSecret>
  /** Revoke a key with its open invites, with cascade=true also what it made; a revoked one is removed. */
  readonly deleteApiKey: (request: {
    readonly params: { readonly id: string; readonly keyId: string }
    readonly query?: { readonly cascade?: "true" | "false" }
  }, settings?: CallSettings) => Promise<void | {
    readonly apiKeys: ReadonlyArray<{ readonly id: string; readonly name: string | null; readonly prefix: string; readonly last4: string }>
    readonly invites: ReadonlyArray<{ readonly id: string; readonly email: string | null; readonly role: string }>
    readonly members: ReadonlyArray<{ readonly id: string; readonly name: string; readonly email: string }>
    readonly memberships: ReadonlyArray<{ readonly id: string; readonly eventId: string; readonly userId: string; readonly name: string | null }>
    readonly webhooks: ReadonlyArray<{ readonly id: string; readonly url: string }>
    readonly integrations: ReadonlyArray<{ readonly id: string; readonly issuer: string }>
    readonly links: ReadonlyArray<{ readonly id: string; readonly kind: string; readonly eventId: string | null }>
  }>
  /** Create another key for the calling key's workspace. */
  readonly createKeyByKey: (request?: {
    readonly payload?: {
      readonly name?: string | null
      readonly expiresAt?: string | null
      readonly scopes?: ReadonlyArray<KeyScope>
      readonly eventIds?: ReadonlyArray<string> | null
    }
  }, settings?: CallSettings) => Promise<ApiKeyWithSecret>
  /** Invite an address, or make a link for anyone who gets it. */
  readonly createInvite: (request: {
    readonly params: { readonly id: string }
    readonly payload?: {
      readonly email?: string
      readonly role?: string
      readonly kind?: "workspace" | "event"
      readonly eventId?: string
    }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly kind: "workspace" | "event"
    readonly email: string | null
    readonly role: string
    readonly eventId: string | null
    readonly status: "pending" | "accepted" | "declined" | "revoked" | "expired"
    readonly createdAt: string
    readonly expiresAt: string
    readonly acceptedAt: string | null
    readonly revokedAt: string | null
    readonly inviteUrl?: string
    readonly mailed?: false
  }>
  /** Invites, newest first; never their tokens. */
  readonly listInvites: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly limit?: number; readonly cursor?: string }
  }, settings?: CallSettings) => Promise<{
    readonly invites: ReadonlyArray<{
      readonly id: string
      readonly kind: "workspace" | "event"
      readonly email: string | null
      readonly role: string
      readonly eventId: string | null
      readonly status: "pending" | "accepted" | "declined" | "revoked" | "expired"
      readonly createdAt: string
      readonly expiresAt: string
      readonly acceptedAt: string | null
      readonly revokedAt: string | null
    }>
    readonly nextCursor: string | null
  }>
  /** Revoke an open invite. */
  readonly revokeInvite: (request: { readonly params: { readonly id: string; readonly inviteId: string } }, settings?: CallSettings) => Promise<void>
  /** Send an invite again, with a new token and a new term. */
  readonly resendInvite: (request: { readonly params: { readonly id: string; readonly inviteId: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly kind: "workspace" | "event"
    readonly email: string | null
    readonly role: string
    readonly eventId: string | null
    readonly status: "pending" | "accepted" | "declined" | "revoked" | "expired"
    readonly createdAt: string
    readonly expiresAt: string
    readonly acceptedAt: string | null
    readonly revokedAt: string | null
    readonly inviteUrl?: string
    readonly mailed?: false
  }>
  /** The subject of an invite. */
  readonly previewInvite: (request: { readonly params: { readonly token: string } }, settings?: CallSettings) => Promise<{
    readonly kind: "workspace" | "event"
    readonly status: "pending" | "accepted" | "declined" | "revoked" | "expired"
    readonly workspace: { readonly name: string; readonly slug: string }
    readonly event: EventReference | null
    readonly role: string
    readonly email: string | null
    readonly expiresAt: string
  }>
  /** Take up an invite. */
  readonly acceptInvite: (request: { readonly params: { readonly token: string } }, settings?: CallSettings) => Promise<{
    readonly invite: {
      readonly id: string
      readonly kind: "workspace" | "event"
      readonly email: string | null
      readonly role: string
      readonly eventId: string | null
      readonly status: "pending" | "accepted" | "declined" | "revoked" | "expired"
      readonly createdAt: string
      readonly expiresAt: string
      readonly acceptedAt: string | null
      readonly revokedAt: string | null
    }
    readonly workspace: { readonly id: string; readonly name: string; readonly slug: string }
    readonly event?: EventReference
  }>
  /** Turn an invite down. */
  readonly declineInvite: (request: { readonly params: { readonly token: string } }, settings?: CallSettings) => Promise<{
    readonly kind: "workspace" | "event"
    readonly status: "pending" | "accepted" | "declined" | "revoked" | "expired"
    readonly workspace: { readonly name: string; readonly slug: string }
    readonly event: EventReference | null
    readonly role: string
    readonly email: string | null
    readonly expiresAt: string
  }>
  /** Addresses, open invites and entry links with their holders, newest first. */
  readonly listLinks: (request: {
    readonly params: { readonly id: string }
    readonly query?: {
      readonly limit?: number
      readonly cursor?: string
      readonly accountId?: string
      readonly userId?: string
      readonly keyId?: string
      readonly kind?: "ingest" | "upload" | "watch" | "media" | "invite" | "entry"
      readonly eventId?: string
    }
  }, settings?: CallSettings) => Promise<{
    readonly links: ReadonlyArray<{
      readonly id: string
      readonly kind: "ingest" | "upload" | "watch" | "media" | "invite" | "entry"
      readonly eventId: string | null
      readonly objectId: string | null
      readonly holder: {
        readonly kind: "account" | "key" | "user" | "guest" | "registrant" | "unknown"
        readonly id: string
        readonly name: string | null
      }
      readonly createdAt: string
      readonly expiresAt: string | null
      readonly lastUsedAt: string | null
    }>
    readonly nextCursor: string | null
  }>
  /** End one link, or all of a person or of a key. */
  readonly endLinks: (request: {
    readonly params: { readonly id: string }
    readonly query?: { readonly linkId?: string; readonly accountId?: string; readonly userId?: string; readonly keyId?: string }
  }, settings?: CallSettings) => Promise<void>
  /** Administrative acts, newest first. */
  readonly listAudit: (request: {
    readonly params: { readonly id: string }
    readonly query?: {
      readonly limit?: number
      readonly cursor?: string
      readonly format?: "json" | "csv"
      readonly action?: "workspace.created" | "workspace.changed" | "workspace.deleted" | "member.changed" | "member.removed" | "member.left" | "owner.added" | "membership.set" | "membership.deleted" | "api_key.created" | "api_key.deleted" | "api_key.all_scopes" | "invite.created" | "invite.revoked" | "invite.resent" | "invite.accepted" | "link.ended" | "guest_integration.created" | "guest_integration.revoked" | "webhook.created" | "webhook.changed" | "webhook.deleted" | "webhook.secret_rotated" | "account.deleted" | "user.deleted" | "registrant.erased" | "guest.erased" | "event.commanded" | "event.deleted" | "event.cancelled" | "event.reinstated" | "phase.deleted" | "registration.cancelled" | "recording.deleted" | "broadcast.ingest_created" | "clip.deleted" | "sign_in.failed" | "second_factor.added" | "second_factor.removed" | "recovery_codes.renewed" | "connection.created" | "connection.changed" | "connection.checked" | "connection.deleted" | "connection.failed" | "connection.domain_lost" | "member.joined" | "passkey.added" | "passkey.renamed" | "passkey.removed" | "recovery_code.used" | "personal_data.read" | "personal_data.exported"
      readonly actorId?: string
      readonly targetId?: string
      readonly from?: string
      readonly to?: string
    }
  }, settings?: CallSettings) => Promise<{
    readonly entries: ReadonlyArray<{
      readonly id: string
      readonly action: string
      readonly actor: { readonly kind: "account" | "key" | "session"; readonly id: string }
      readonly targetId: string | null
      readonly requestId: string
      readonly createdAt: string
      readonly address: string | null
      readonly client: string | null
    }>
    readonly nextCursor: string | null
  } | string>
  /** Create an account and its first workspace, and sign in. */
  readonly signup: (request: {
    readonly payload: { readonly email: string; readonly password: string; readonly name: string; readonly inviteToken?: string }
  }, settings?: CallSettings) => Promise<AccountView>
  /** Sign in. */
  readonly login: (request: { readonly payload: { readonly email: string; readonly password: string } }, settings?: CallSettings) => Promise<AccountView | MfaChallenge>
  /** Sign in, second step: a code of the second factor. */
  readonly loginWithCode: (request: { readonly payload: { readonly mfaToken: string; readonly code: string } }, settings?: CallSettings) => Promise<AccountView>
  /** End the session. */
  readonly logout: (request?: Record<never, never>, settings?: CallSettings) => Promise<void>
  /** The signed-in account. */
  readonly me: (request?: Record<never, never>, settings?: CallSettings) => Promise<AccountView>
  /** Prove an e-mail address with the token from its email. */
  readonly verifyEmail: (request: { readonly payload: { readonly token: string } }, settings?: CallSettings) => Promise<{ readonly verified: true; readonly email: string }>
  /** Send the verification email again. */
  readonly resendVerification: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly requested: true; readonly verifyUrl?: string }>
  /** Ask for a reset email; the answer never says whether the address is known. */
  readonly requestPasswordReset: (request: { readonly payload: { readonly email: string } }, settings?: CallSettings) => Promise<{ readonly requested: true; readonly resetUrl?: string }>
  /** Set a new password; ends every session and token of the account. When it is the first to prove the address, what was made of the account before is revoked. */
  readonly resetPassword: (request: { readonly payload: { readonly token: string; readonly password: string } }, settings?: CallSettings) => Promise<{ readonly reset: true }>
  /** Change the password; ends every other session and token of the account. */
  readonly changePassword: (request: { readonly payload: { readonly currentPassword: string; readonly password: string } }, settings?: CallSettings) => Promise<{ readonly changed: true }>
  /** Where the account is signed in. */
  readonly listSessions: (request?: Record<never, never>, settings?: CallSettings) => Promise<{
    readonly sessions: ReadonlyArray<{
      readonly id: string
      readonly device: string | null
      readonly createdAt: string
      readonly lastSeenAt: string
      readonly expiresAt: string
      readonly current: boolean
    }>
  }>
  /** Sign out one session. */
  readonly endSession: (request: { readonly params: { readonly sessionId: string } }, settings?: CallSettings) => Promise<void>
  /** Everything that is stored about the signed-in account. */
  readonly exportAccount: (request?: { readonly query?: { readonly limit?: number; readonly cursor?: string } }, settings?: CallSettings) => Promise<{ readonly items: ReadonlyArray<PersonalItem>; readonly nextCursor: string | null }>
  /** Delete the signed-in account; its password confirms. */
  readonly deleteAccount: (request: { readonly payload: { readonly password: string | null } }, settings?: CallSettings) => Promise<void>
  /** The second factors of the signed-in account. */
  readonly getMfa: (request?: Record<never, never>, settings?: CallSettings) => Promise<{
    readonly totp: { readonly confirmedAt: string } | null
    readonly passkeys: ReadonlyArray<Passkey>
    readonly recoveryCodesLeft: number
  }>
  /** Begin to set up an authenticator app; its secret is shown once. */
  readonly startTotp: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly secret: string; readonly otpauthUrl: string }>
  /** Confirm the authenticator app with a code; answers with the recovery codes. */
  readonly confirmTotp: (request: { readonly payload: { readonly code: string } }, settings?: CallSettings) => Promise<{ readonly recoveryCodes: ReadonlyArray<string> }>
  /** Remove the authenticator app. */
  readonly removeTotp: (request?: Record<never, never>, settings?: CallSettings) => Promise<void>
  /** New recovery codes; earlier ones are void. */
  readonly renewRecoveryCodes: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly recoveryCodes: ReadonlyArray<string> }>
  /** Begin to register a passkey: what the browser needs for it. */
  readonly startPasskey: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly [key: string]: unknown }>
  /** Register the passkey that the browser made. */
  readonly createPasskey: (request: {
    readonly payload: {
      readonly name: string
      readonly response: {
        readonly id: string
        readonly rawId: string
        readonly type: "public-key"
        readonly response: { readonly clientDataJSON: string; readonly attestationObject: string }
      }
    }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly name: string
    readonly createdAt: string
    readonly lastUsedAt: string | null
    readonly recoveryCodes: ReadonlyArray<string>
  }>
  /** Rename a passkey. */
  readonly patchPasskey: (request: { readonly params: { readonly passkeyId: string }; readonly payload: { readonly name: string } }, settings?: CallSettings) => Promise<Passkey>
  /** Remove a passkey. */
  readonly deletePasskey: (request: { readonly params: { readonly passkeyId: string } }, settings?: CallSettings) => Promise<void>
  /** Begin to sign in with a passkey: what the browser needs for it. */
  readonly startPasskeyLogin: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly [key: string]: unknown }>
  /** Sign in with a passkey, without a password. */
  readonly loginWithPasskey: (request: { readonly payload: { readonly response: AssertionResponse } }, settings?: CallSettings) => Promise<AccountView>
  /** Whether the session was proved lately, and how it can be. */
  readonly getProof: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly fresh: boolean; readonly methods: ReadonlyArray<"password" | "code" | "passkey"> }>
  /** Prove again who holds the session: by the password, a code of the second factor, or a passkey. */
  readonly prove: (request?: {
    readonly payload?: { readonly password?: string; readonly code?: string; readonly passkey?: AssertionResponse }
  }, settings?: CallSettings) => Promise<{ readonly proved: true }>
  /** Whether accounts may sign in through an identity provider, and who may make one. */
  readonly getIdp: (request?: Record<never, never>, settings?: CallSettings) => Promise<{ readonly configured: boolean; readonly signup: "open" | "invited" | "off" }>
  /** Send the browser to the identity provider for consent. */
  readonly startIdp: (request?: { readonly query?: { readonly fresh?: "true" | "false" } }, settings?: CallSettings) => Promise<void>
  /** Where the identity provider sends the browser back to; signs in. */
  readonly finishIdp: (request?: {
    readonly query?: {
      readonly code?: string
      readonly state?: string
      readonly error?: string
      readonly iss?: string
      readonly session_state?: string
    }
  }, settings?: CallSettings) => Promise<void>
  /** The identity provider for the domain of an address. */
  readonly findSso: (request: { readonly query: { readonly email: string } }, settings?: CallSettings) => Promise<{ readonly connection: { readonly id: string; readonly name: string } | null }>
  /** Send the browser to a workspace's identity provider for consent. */
  readonly startSso: (request: { readonly params: { readonly connectionId: string }; readonly query?: { readonly fresh?: "true" | "false" } }, settings?: CallSettings) => Promise<void>
  /** Where a workspace's identity provider sends the browser back to; signs in. */
  readonly finishSso: (request: {
    readonly params: { readonly connectionId: string }
    readonly query?: {
      readonly code?: string
      readonly state?: string
      readonly error?: string
      readonly iss?: string
      readonly session_state?: string
    }
  }, settings?: CallSettings) => Promise<void>
  /** Identity providers of the workspace. */
  readonly listConnections: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<{
    readonly connections: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly issuer: string
      readonly clientId: string
      readonly domains: ReadonlyArray<{
        readonly domain: string
        readonly proved: boolean
        readonly record: { readonly name: string; readonly value: string }
      }>
      readonly defaultRole: "member" | "admin"
      readonly redirectUri: string
      readonly createdAt: string
      readonly updatedAt: string
      readonly lastSuccessAt: string | null
      readonly lastFailureAt: string | null
      readonly lastError: string | null
    }>
  }>
  /** Connect an identity provider. */
  readonly createConnection: (request: {
    readonly params: { readonly id: string }
    readonly payload: {
      readonly name: string
      readonly issuer: string
      readonly clientId: string
      readonly clientSecret: string
      readonly domains: ReadonlyArray<string>
      readonly defaultRole?: "member" | "admin"
    }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly name: string
    readonly issuer: string
    readonly clientId: string
    readonly domains: ReadonlyArray<{
      readonly domain: string
      readonly proved: boolean
      readonly record: { readonly name: string; readonly value: string }
    }>
    readonly defaultRole: "member" | "admin"
    readonly redirectUri: string
    readonly createdAt: string
    readonly updatedAt: string
    readonly lastSuccessAt: string | null
    readonly lastFailureAt: string | null
    readonly lastError: string | null
  }>
  /** Change a connection; its issuer stays. */
  readonly patchConnection: (request: {
    readonly params: { readonly id: string; readonly connectionId: string }
    readonly payload?: {
      readonly name?: string
      readonly clientId?: string
      readonly clientSecret?: string
      readonly domains?: ReadonlyArray<string>
      readonly defaultRole?: "member" | "admin"
    }
  }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly name: string
    readonly issuer: string
    readonly clientId: string
    readonly domains: ReadonlyArray<{
      readonly domain: string
      readonly proved: boolean
      readonly record: { readonly name: string; readonly value: string }
    }>
    readonly defaultRole: "member" | "admin"
    readonly redirectUri: string
    readonly createdAt: string
    readonly updatedAt: string
    readonly lastSuccessAt: string | null
    readonly lastFailureAt: string | null
    readonly lastError: string | null
  }>
  /** Look for the domains' records, and ask the issuer for its metadata. */
  readonly checkConnection: (request: { readonly params: { readonly id: string; readonly connectionId: string } }, settings?: CallSettings) => Promise<{
    readonly id: string
    readonly name: string
    readonly issuer: string
    readonly clientId: string
    readonly domains: ReadonlyArray<{
      readonly domain: string
      readonly proved: boolean
      readonly record: { readonly name: string; readonly value: string }
    }>
    readonly defaultRole: "member" | "admin"
    readonly redirectUri: string
    readonly createdAt: string
    readonly updatedAt: string
    readonly lastSuccessAt: string | null
    readonly lastFailureAt: string | null
    readonly lastError: string | null
  }>
  /** Remove a connection. */
  readonly deleteConnection: (request: { readonly params: { readonly id: string; readonly connectionId: string } }, settings?: CallSettings) => Promise<void>
  /** Ask about the product; answers come from its own documentation. */
  readonly askHelp: (request: {
    readonly payload: {
      readonly messages: ReadonlyArray<{ readonly role: "user"; readonly text: string } | { readonly role: "model"; readonly text: string }>
      readonly audience?: "host" | "viewer"
      readonly surface?: "room" | "dashboard"
      readonly eventType?: string
      readonly stage?: "prelive" | "open" | "live" | "ended"
    }
  }, settings?: CallSettings) => Promise<{ readonly reply: string }>
  /** Live events, nodes, backlogs, backups, the certificate, the largest and busiest users and failing webhooks of the whole deployment. */
  readonly getPlatformStatus: (request?: Record<never, never>, settings?: CallSettings) => Promise<PlatformStatus>
  /** The states of an event's chart, what it waits for, and its last transitions. */
  readonly inspectEvent: (request: { readonly params: { readonly id: string } }, settings?: CallSettings) => Promise<Inspection>
  /** Say that a copy of the database is the real one, so that its servers send again. */
  readonly promotePlatform: (request?: { readonly payload?: { readonly discardWaiting?: boolean } }, settings?: CallSettings) => Promise<{ readonly wasQuiet: boolean; readonly copied: { readonly deliveries: number; readonly letters: number } }>
  /** Every key of the configuration with the value in force, without secrets. */
  readonly getPlatformSettings: (request?: Record<never, never>, settings?: CallSettings) => Promise<{
    readonly node: string
    readonly settings: ReadonlyArray<{ readonly name: string; readonly value: string; readonly isSet: boolean }>
  }>
  /** Send an email to this address at once, and say whether the mail server took it. */
  readonly testMail: (request: { readonly payload: { readonly to: string } }, settings?: CallSettings) => Promise<{ readonly problem: string | null; readonly durationMs: number }>
  /** Send a signed `ping` to any address that may be called, and say what came of it. */
  readonly testWebhook: (request: { readonly payload: { readonly url: string } }, settings?: CallSettings) => Promise<{
    readonly status: number | null
    readonly problem: string | null
    readonly durationMs: number
    readonly secret: string
  }>
  /** The newest lines of the log of the process that answers. */
  readonly getPlatformLog: (request?: { readonly query?: { readonly level?: "info" | "warn" | "error"; readonly after?: number } }, settings?: CallSettings) => Promise<{
    readonly node: string
    readonly lines: ReadonlyArray<{
      readonly number: number
      readonly at: string
      readonly level: string
      readonly message: string
      readonly fields: { readonly [key: string]: Json }
    }>
  }>
  /** The meaning of an error code: where a problem's `type` leads. */
  readonly getProblem: (request: {
    readonly params: {
      readonly code: "bad_request" | "unknown_command" | "role_not_on_event" | "invalid_token" | "unauthorized" | "sign_in_required" | "signup_closed" | "forbidden" | "fresh_sign_in_required" | "sso_required" | "mfa_required" | "not_found" | "muted" | "method_not_allowed" | "conflict" | "wrong_phase" | "feature_disabled" | "event_ended" | "slug_taken" | "event_full" | "encoder_replaced" | "email_taken" | "account_exists" | "idempotency_in_progress" | "too_large" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "upgrade_required" | "rate_limited" | "internal_error" | "idp_not_configured" | "unavailable"
    }
  }, settings?: CallSettings) => Promise<{ readonly code: string; readonly status: number; readonly meaning: string; readonly remedy: string }>
}
