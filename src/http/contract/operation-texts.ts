/**
 * The description of every operation: the things that a caller should know beyond its one-line summary. The callers of an operation are
 * added from its access.
 */
export const OPERATION_TEXTS: { readonly [endpoint: string]: string } = {
  createEvent:
    "The event begins as a `draft`, seen by the workspace alone. `phases` are its agenda, in order; more can be appended later. Read the event to see the ids of its phases. `warnings` name what you may not have meant, such as a start in the past; a published event without phases is one more. With `reminders`, which is on by default, everybody who registers gets a letter a day and ten minutes before `scheduledAt`.",
  listEvents: "Without their phases.",
  getEvent: "The agenda is in order; `activePhaseId` is null unless the event is live.",
  patchEvent: "Absent fields stay. People at the live event are told of the change over the gateway.",
  deleteEvent: "Its people are disconnected, and everything that belongs to it is removed.",
  publishEvent:
    "From `draft` to `scheduled`: registration and the public page open as far as its visibility allows. Webhook `event.published`.",
  startEvent: "From `scheduled` to `live`. Timers run from now on. Webhook `event.started`.",
  advanceEvent:
    "The last phase's end ends the event. With `phaseId` the call has an effect only while that phase is active, so that two hosts do not advance twice: otherwise it answers 200 with the event as it is.",
  endEvent:
    "Ends the active phase, skips those that are left, and closes the sockets of everybody at the event. Webhook `event.ended`.",
  appendPhase: "To the end of the agenda, also while the event is live. An event has at most 50 phases.",
  orderPhases:
    "While the event is `draft` or `scheduled`, otherwise 409. `phaseIds` has each phase of the event once; otherwise 400 says which are missing, unknown or named twice. People who wait for the event see the new order at once.",
  deletePhase:
    "While its event is `draft` or `scheduled`, otherwise 409. The phases after it move up. A phase that a recording belongs to stays: 409. Roles, invites and questions stay as they are.",
  patchPhase: "Of a phase that has not ended. An absent field stays, a given one is replaced wholesale.",
  extendPhase:
    "People at the event see the new end at once. A phase with `extendable: false` refuses, and no phase is longer than a day.",
  listQuestions: "Of every status, also hidden ones.",
  patchQuestion: "People at the live event see the change at once. An answered question shows its answer to everybody.",
  askQuestion:
    "Questions are open while the active phase has the feature `qa`. In a moderated phase the question waits for approval. Webhook `question.created`.",
  voteQuestion: "One vote for each voter. The answer has the new number of votes.",
  unvoteQuestion: "The answer has the new number of votes.",
  listAttendance:
    "One row for each participant: when they came first, when they left last, and the time of all stays together. People who are there now are in it too. Anonymous viewers count as one person for each visit.",
  listRegistrations: "With `q` only those whose name or address has these characters.",
  cancelRegistration:
    "The links of its letters and the sessions behind them stop working, and the person is disconnected. The same address may register again.",
  resendRegistration: "Earlier links go on working. The person's address gets at most three letters a minute.",
  listChat: "Of all places: the event, its rooms and the staff. Messages that were deleted are not in it.",
  listPolls: "Drafts too. The votes of single people are not told.",
  listRounds: "Of rotations and breakouts, in the order in which they were held.",
  createJoinCode:
    "It stays the same for as long as the event is there. People find the event by it once the event is published, unless it is private.",
  findByJoinCode: "Small letters, spaces and hyphens do not matter. Drafts and private events are not found.",
  getQrCode: "For slides and prints: black on transparent, with the quiet zone that readers want.",
  getPublicEvent:
    "What a page shows without a sign-in: agenda, who is on stage, places that are left, and the broadcast.",
  getRecap: "Fields are null until there is something to show.",
  getContent: "Fields are null or empty until there is something to show.",
  getAsset: "The playback address expires; ask again for a fresh one.",
  getTableSummary: "`t` is the token of the letter, and the credential.",
  getCalendar: "For a link that calendars open or subscribe to.",
  register:
    "One place for each address: `alreadyRegistered` says that it has one. The link of the letter is in the letter alone; outside production without mail `GET /v1/dev/outbox?to=` shows it.",
  enter: "The token comes from the entry link. The session is for this event alone.",
  signup:
    "Makes an account, its first workspace and a session cookie, and sends a letter that proves the address. Outside production the answer also has that letter's link.",
  login:
    "Answers with the account and sets the session cookie; for an account with a second factor with `mfaRequired`, and without a cookie. Tries are limited by address and by account.",
  loginWithCode:
    "Takes the `mfaToken` of a login and a code of the second factor, and answers as a login does. The token is good for five minutes and five tries (`invalid_token` afterwards), and each code once.",
  getMfa: "`totp` is null until an authenticator app is confirmed.",
  startTotp:
    "Show `otpauthUrl` as a QR code, or `secret` to be typed. Nothing changes at the sign-in before a code confirms it. Called again it makes a new secret; with a confirmed app it answers 409.",
  confirmTotp:
    "From now on a login asks for a code. The ten recovery codes are in this answer alone; each is good for one login.",
  removeTotp: "With the last second factor the recovery codes go too.",
  startPasskey:
    "For `navigator.credentials.create` (`PublicKeyCredential.parseCreationOptionsFromJSON`), on a page of this server. The challenge is good for five minutes and one answer. An account has at most 20 passkeys.",
  createPasskey:
    "`response` is what `toJSON()` of the new credential gives. With the first second factor of an account the answer has its recovery codes, this once.",
  patchPasskey: "The name is for its person.",
  deletePasskey:
    "With the last second factor the recovery codes go too. The browser keeps its part, which is of no use any more.",
  startPasskeyLogin:
    "For `navigator.credentials.get` (`PublicKeyCredential.parseRequestOptionsFromJSON`). It names no account: the passkey does.",
  loginWithPasskey:
    "Sets the session cookie. The authenticator has verified its person, so no password and no code is asked for.",
  findSso:
    "By the domain of the address alone, so it tells nothing of accounts. `connection` is null where no workspace has proved the domain.",
  startSso:
    "Answers with a redirect to the provider. Where that is not reachable the browser goes back to the application with `?signIn=unreachable`.",
  finishSso:
    "Signs in people of the connection's proved domains whose address the provider calls verified, and makes them members with the connection's role. Otherwise the browser goes back to the application with `?signIn=` and `refused`, `unverified`, `unreachable` or `closed`.",
  listConnections: "With the state of the last try. Client secrets are never shown.",
  createConnection:
    "A domain counts once `POST …/check` has found its TXT record (outside production at once). The issuer must be a public https address.",
  patchConnection: "Absent fields stay. `domains` is replaced as a whole; domains that stay keep their proof.",
  checkConnection: "Answers with what was found: `proved` of each domain, and `lastError`.",
  deleteConnection: "409 for the last one with a proved domain while `sso` is `required`.",
  getProof: "`methods` is what `POST /v1/accounts/proof` takes of this account.",
  prove:
    "For acts that are refused with `fresh_sign_in_required`; the session is good for them for ten minutes then, as it is after a sign-in. An account with a second factor gives a `code` or a `passkey`, another one its `password`. A wrong one is 403, and counts as at the sign-in.",
  renewRecoveryCodes: "Ten codes, in this answer alone.",
  logout: "Ends the session of the cookie and removes the cookie. Other sessions go on.",
  me: "The account of the cookie, with its addresses and the workspaces that it belongs to.",
  verifyEmail:
    "Takes the one-time token of the letter. An address that is proved for the first time revokes what was made before by an account that had not proved it.",
  resendVerification: "Sends another letter to the primary address, if it is not proved yet.",
  requestPasswordReset: "The letter holds a link that works once.",
  resetPassword: "Takes the one-time token of the letter. Afterwards the account must log in anew.",
  changePassword: "Asks for the current password. The session that calls goes on.",
  listSessions: "Each with the time of its last use; `current` marks the one that calls.",
  endSession: "The session's cookie is refused from then on.",
  getIdp:
    "For a sign-in page, which offers a way to `GET /v1/auth/idp/start` then. `signup`: everybody may make an account (`open`), people with an open invite (`invited`), or nobody (`off`).",
  startIdp: "Answers with a redirect to the identity provider. Where none is configured it answers 501.",
  finishIdp: "Checks the provider's answer, sets the session cookie and sends the browser on to the application.",
  createWorkspace: "The caller becomes its owner. The secret of the first API key is in this answer alone.",
  listWorkspaces: "Newest first. `role` is the caller's; the operator's list has none.",
  patchWorkspace:
    "Absent fields stay. A slug is unique in the whole deployment. With `requireMfa` members without a second factor are answered `mfa_required` until they set one up; only a caller who has one may ask for it. With `sso` as `required`, which owners alone set, members other than owners are answered `sso_required` unless they signed in by a connection of the workspace. API keys are not concerned.",
  deleteWorkspace:
    "Cannot be undone. The body names the workspace by its slug, else 409. Live events end (`event.ended`, sockets are closed with 4307), keys are revoked, members and sessions are out, and the workspace is 404 from the answer on; its slug is free again. Its data and media are removed right after that, step by step. Webhooks that wait for another try a minute later are cancelled.",
  listMembers: "Everybody who belongs to the workspace as a whole; roles on single events are not listed.",
  patchMember: "Between `member` and `admin`. Sessions of the member have the new rights at once.",
  removeMember:
    "The member's sessions lose the workspace at once, and the open invites that it made or renewed are revoked. API keys stay.",
  leaveWorkspace: "The caller loses the workspace at once. Make another member an owner first if you are the only one.",
  makeOwner: "The member gets all rights of an owner; the caller keeps its own.",
  createWorkspaceSession:
    "For calls in the name of one workspace and for the gateway. Send it as `Authorization: Bearer`.",
  listApiKeys: "With their prefix and last four characters, when they were used last, and which key made them.",
  createApiKey: "A key acts for the whole workspace. With `expiresAt` it is refused from then on.",
  deleteApiKey:
    "The key is refused from the next request on, on every node; its open invites are revoked, and the addresses that it was given end: 204. With `cascade=true` the answer is 200 with what else ended. Deleting it again removes it from the list.",
  createKeyByKey:
    "For software that hands a key of its own to each of its parts. Revoking the calling key with `cascade=true` revokes those too.",
  listLinks:
    "Each works for whoever has it, for as long as the rights of its holder last. Those of which nothing is left to hold are not listed, so that a page may be short. Session tokens, which last an hour, and links of letters to an account are not in it.",
  endLinks:
    "The next use is refused, and a stream that goes on by it is cut within ten seconds. Of a person or a key also what has not been used yet, the open invites that they made, and the person's session tokens; the key or the login itself goes on.",
  createInvite:
    "With `email` the invite is for that address and is sent to it; without, the answer's link is for anyone who gets it. With `eventId` it gives a role on that event, otherwise one in the workspace.",
  listInvites: "Open, taken, declined, revoked and expired ones.",
  revokeInvite: "It cannot be taken up any more. One that was taken up cannot be revoked.",
  resendInvite: "The link of the earlier letter stops working.",
  previewInvite:
    "Shown before the invited person signs in: workspace, event and role. The token in the path is the credential.",
  acceptInvite: "The signed-in account gets the role that the invite is about.",
  declineInvite: "The invite cannot be taken up any more.",
  listAudit: "Who did what to which object, by account or by key.",
  startBroadcast:
    "With `playbackUrl` people watch that address; without one, send media to the address of `POST …/ingest`, and they watch this server. Webhook `broadcast.live`.",
  pauseBroadcast: "Viewers are told. Webhook `broadcast.paused`.",
  resumeBroadcast: "Viewers are told where to watch. Webhook `broadcast.live`.",
  stopBroadcast: "A broadcast that was stopped cannot go on. Its recording follows when it is whole.",
  getBroadcast: "`ingest` says whether media arrives, since when, and why not.",
  createIngest: "The address is the caller's own, ends with their rights, and is shown in this answer alone.",
  pushTranscript: "Segments go to everybody at the event or in the room, and are kept for the transcript of the event.",
  putTranscript: "Replaces a transcript that is there. Webhook `transcript.ready`.",
  getTranscript: "As JSON, WebVTT, SubRip or text.",
  getEventTranscript: "As JSON, WebVTT, SubRip or text.",
  putSummary: "The text that people read after the event.",
  createRecording: "Send the bytes to the address in the answer, whole or in parts, and then complete the recording.",
  listRecordings: "Of every state, with signed addresses for those that are ready.",
  addressParts: "Parts may be sent at the same time and in any order. The addresses end with the upload's term.",
  completeRecording: "The recording is inspected, and is `ready` or `failed` afterwards. Webhook `recording.ready`.",
  getRecording: "The addresses in the answer expire; ask again for fresh ones.",
  deleteRecording: "Its clips, transcript and pictures are removed too.",
  createClip:
    'A job cuts it: watch `status`, or take the webhook `clip.ready`. With `exact: "inside"` nothing outside of the given times is shown.',
  listClips: "Of every state, with signed addresses for those that are ready.",
  getClip: "The addresses in the answer expire; ask again for fresh ones.",
  deleteClip: "The recording that it was cut from stays.",
  listUsers: "The people of the workspace whom your own system names by `externalSub`.",
  upsertUser: "201 when the user is new, 200 when there is one with this `externalSub`.",
  deleteUser:
    "Sessions and sockets of the person end at once (4203). Roles, registrations and invites under the user's address, chat messages and raised hands are deleted; the name is taken off questions, attendance and notes. Questions become anonymous ones, and votes stay counted. Events of a large workspace follow within minutes. Members of the workspace stay members. The same `externalSub` makes a new user.",
  exportAccount:
    "The account, its addresses, sessions and workspaces first; then what the events of each workspace have of it, as in the export of a user. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
  deleteAccount:
    "Cannot be undone. All sessions and sockets end, and in every workspace the person is erased as a deleted user is. Send the password; an account without one sends null within ten minutes of its sign-in, and one with a second factor has signed in or proved itself within ten minutes. 403 when that is wrong. 409 while the account is the only owner of a workspace, also when nobody else is in it: make somebody else an owner, or delete the workspace first.",
  exportUser:
    "Each item has its `kind`: the user, invites, and of each event roles, registration, attendance, messages, questions, votes and other records. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
  exportRegistrant:
    "For people who are no users of yours. Registrations, invites, and what each event has of the person. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
  eraseRegistrant:
    "Registrations and invites under the address are deleted, links and sessions behind them end, and the person is disconnected. The name goes from attendance, questions and notes, and their chat messages are deleted, as when a user is deleted. 404 when the workspace has neither registration nor invite of the address.",
  exportGuest:
    "For people whom a partner's tokens name. What each event has of the guest: attendance, messages, questions, votes and other records. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
  eraseGuest:
    "Sessions and sockets of the guest end at once (4203). The name goes from attendance, questions and notes, and chat messages are deleted, as when a user is deleted. For a quarter of an hour, until the erasure is over, `POST /v1/events/{id}/guest-session` answers 409 for the guest; after that a token of the partner admits them again. 404 when nothing is stored of the guest, or what is stored is being erased already.",
  exportNamedGuest:
    "As `GET`, for a subject that is too long for an address. The answer is not kept for an `Idempotency-Key`.",
  eraseNamedGuest: "As `DELETE /v1/workspaces/{id}/guests`, for a subject that is too long for an address.",
  createUserSession:
    "Hand it to that person's browser: with it the person enters events, asks and votes under their own name. It does not manage anything.",
  createMembership:
    "It takes effect at once, also for a person who is connected. 400 `role_not_on_event` names the roles that the event has.",
  listMemberships:
    "Of the workspace's users, each with the user's name and address; roles of its members and of guests are not listed.",
  deleteMembership: "A person who has no other right to be at the event is disconnected.",
  createWebhook:
    "Deliveries go to `url` with a signature under the secret, which is in this answer alone. Without `eventTypes` the endpoint gets every type.",
  listWebhooks: "With the time of their last success and failure, and the reason why one is disabled.",
  listWebhookEventTypes:
    "An endpoint without `eventTypes` gets all of them, also those of later releases: ignore the types that you do not know.",
  patchWebhook: "Absent fields stay. Set `status` to `active` to take deliveries again.",
  deleteWebhook: "It is not shown any more.",
  rotateWebhookSecret: "The new secret is in this answer alone. For 24 hours each delivery has a signature under both.",
  pingWebhook: "See whether it arrived in the deliveries of the endpoint.",
  listWebhookDeliveries: "With the number of tries and the last outcome.",
  getWebhookDelivery:
    "The body as it was sent, and each attempt with its time, duration and outcome. Nothing else of your server's answer is kept. The body of an `audit.created` is for those who may read the audit log, and null for others.",
  redeliverWebhookDelivery: "Receivers that keep the ids that they have handled do nothing twice.",
  putTableSummary: "The answer says to whom a letter went. People who have asked for no letters get none.",
  draftTableSummary: "Made from the captions of the room by the words that were said.",
  createGatewayToken:
    "The token's holder becomes a participant of the event with the role in the answer, as it reads in the active phase. Ask for a token for each connection.",
  createGuestIntegration: "Tokens of that issuer are exchanged for guest sessions from then on.",
  listGuestIntegrations: "With the last verification and the last fault of each.",
  listGuestRefusals:
    "The guest's answer has no reason; this list has. A refusal within a second of one with the same reason is not listed.",
  deleteGuestIntegration: "Tokens of the issuer are refused from then on.",
  createGuestSession:
    "Signature, issuer, audience and times of the token are checked. The session is for this event alone. 409 when the event has ended, and while what is stored about the guest is being erased.",
  askHelp: "The conversation so far is sent along; nothing of it is kept.",
  getPlatformStatus:
    "Nobody may call it where `PLATFORM_KEY` is unset. `process` is the one that answers, and `busiest` is what that one counted: ask each node by its own address. The rest is of all nodes. Requests count for the workspace of the key or session, or else of what was asked for, also when they are refused; commands count for their event and its workspace. An event counts the requests whose path names it or a part of it. Uploads and downloads of media are not counted there.",
  inspectEvent:
    "Any event can be inspected; one that is not in memory is read into it. `states` are those of the chart in the project's `docs/internals/machine.md`. `transitions` are the last twenty that this owner made: those of an owner before it are not known. `gathercue inspect` prints the same.",
  promotePlatform:
    "A server on a copy of a database (a restored backup, another address) is quiet: it sends no webhooks and no letters, does not control the media server and removes no media. All of that waits. After this call all servers on the database send within two seconds. `copied` counts what was there when the copy was first started, and waited. A repeat does nothing.",
  getProblem: "The address stands in the `type` of every error.",
}
