/** The page behind an invitation: its content, and acceptance with an existing or a new account. */
import { Effect, Option, Schema } from "effect"
import { AccountSessions } from "../../identity/accounts/account-sessions.ts"
import { acceptInvite, declineInvite, readInvitation } from "../../identity/invites.ts"
import { Forbidden } from "../../model/errors.ts"
import { findAccount, type ProvedCredentials } from "../../store/accounts/accounts.ts"
import { Database, type Queryable } from "../../store/database.ts"
import type { InvitationRow } from "../../store/workspaces/invites.ts"
import { Email, NewPassword } from "../contract/accounts/accounts.ts"
import { Name } from "../contract/endpoint.ts"
import { createAccount, signInWithPassword } from "../handlers/accounts/account-entry.ts"
import { challengeFor, signInWithCode } from "../handlers/accounts/second-step.ts"
import { RateLimits } from "../limits/rate-limits.ts"
import { originOf, writeEntries } from "../requests/audit.ts"
import { issueSession } from "../requests/browser-session.ts"
import { cookieValue, isForeignSite, sessionCookieName } from "../requests/credentials.ts"
import { HttpSettings } from "../requests/settings.ts"
import { deviceOf, type HttpRequest } from "../transport/message.ts"
import {
  alert,
  type Html,
  html,
  openingPage,
  openRoute,
  type PageRoute,
  passkeyForm,
  readForm,
  renderPage,
} from "./page.ts"

/** An invitation requested by a browser. */
interface Asked {
  readonly request: HttpRequest
  readonly token: string
}

const inTransaction = <A, E>(body: (sql: Queryable) => Effect.Effect<A, E>) =>
  Effect.flatMap(Database, (database) => database.transaction(body))

/** The account of the browser's session cookie. */
const visitor = (request: HttpRequest) =>
  Effect.gen(function* () {
    const { publicUrl } = yield* HttpSettings
    const token = cookieValue(request.headers["cookie"], sessionCookieName(publicUrl))
    const session = token === undefined ? undefined : yield* (yield* AccountSessions).find(token)
    if (session === undefined) return undefined
    return yield* (yield* Database).run((sql) => findAccount(sql, session.accountId))
  })

const about = (invitation: InvitationRow): Html =>
  invitation.eventTitle === null
    ? html`<p>You are invited to the workspace <strong>${invitation.workspace}</strong> as ${invitation.role}.</p>`
    : html`<p>${invitation.workspace} invites you to <strong>${invitation.eventTitle}</strong> as ${invitation.role}.</p>`

const form = (token: string, fields: Html): Html =>
  html`<form method="post" action="/invite"><input type="hidden" name="token" value="${token}">${fields}</form>`

const button = (token: string, action: string, label: string): Html =>
  form(token, html`<button name="action" value="${action}">${label}</button>`)

const accountForms = (token: string): Html => html`
<h2>With your account</h2>${form(
  token,
  html`<label>E-mail<input type="email" name="email" autocomplete="email" required></label>
<label>Password<input type="password" name="password" autocomplete="current-password" required></label>
<button name="action" value="signIn">Sign in and accept</button>`,
)}${passkeyForm("/invite/open", token)}`

const newAccountForm = (token: string): Html => html`
<h2>Or with a new one</h2>${form(
  token,
  html`<label>Name<input name="name" autocomplete="name" maxlength="200" required></label>
<label>E-mail<input type="email" name="email" autocomplete="email" required></label>
<label>Password (8 characters or more)<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required></label>
<button name="action" value="signUp">Sign up and accept</button>`,
)}`

/** Code page of an account with a second factor, shown after its password. */
const codePage = (token: string, mfaToken: string, problem?: string) =>
  renderPage(
    "Your code",
    html`${problem === undefined ? "" : alert(problem)}${form(
      token,
      html`<input type="hidden" name="mfaToken" value="${mfaToken}">
<label>Code of your authenticator app, or a recovery code<input name="code" autocomplete="one-time-code" maxlength="64" required></label>
<button name="action" value="code">Sign in and accept</button>`,
    )}${passkeyForm("/invite/open", token)}`,
    { status: problem === undefined ? 200 : 401, script: "passkey" },
  )

const show = ({ request, token }: Asked, problem?: { readonly text: string; readonly status: number }) =>
  Effect.gen(function* () {
    const invitation = yield* inTransaction((sql) => readInvitation(sql, token))
    if (invitation.status !== "pending") {
      return renderPage("This invitation is closed", html`${about(invitation)}<p>It is ${invitation.status}.</p>`)
    }
    const account = yield* visitor(request)
    const { signup } = yield* HttpSettings
    const accept = account === undefined ? accountForms(token) : button(token, "accept", `Accept as ${account.name}`)
    const isNew = account === undefined && signup !== "off"
    return renderPage(
      "Your invitation",
      html`${about(invitation)}${problem === undefined ? "" : alert(problem.text)}${accept}${isNew ? newAccountForm(token) : ""}${button(token, "decline", "Decline")}`,
      { status: problem?.status ?? 200, script: account === undefined ? "passkey" : undefined },
    )
  })

const accepted = (invitation: InvitationRow, cookies: ReadonlyArray<string>) =>
  renderPage("Welcome", html`${about(invitation)}<p>The invitation is accepted.</p>`, {
    headers: cookies.map((cookie) => ["set-cookie", cookie] as const),
  })

const acceptAs = ({ request, token }: Asked, accountId: string) =>
  Effect.gen(function* () {
    const { invitation } = yield* inTransaction((sql) => acceptInvite(sql, token, accountId))
    const { id: targetId, workspaceId } = invitation
    const act = { action: "invite.accepted", actorKind: "account", actorId: accountId } as const
    yield* writeEntries([{ ...act, workspaceId, targetId, requestId: request.requestId, ...originOf(request) }])
    return invitation
  })

/** Accepts the invite for a caller without a session, and then starts one. */
const acceptAndSignIn = (asked: Asked, proved: ProvedCredentials) =>
  Effect.gen(function* () {
    const invitation = yield* acceptAs(asked, proved.accountId)
    return accepted(invitation, [yield* issueSession(proved, deviceOf(asked.request))])
  })

const readSignUp = Schema.decodeUnknownOption(Schema.Struct({ name: Name, email: Email, password: NewPassword }))

type Field = (name: string) => string

const ACTIONS = {
  accept: (asked) =>
    Effect.gen(function* () {
      const account = yield* visitor(asked.request)
      return account === undefined
        ? yield* show(asked, { text: "Sign in first.", status: 401 })
        : accepted(yield* acceptAs(asked, account.id), [])
    }),
  decline: ({ token }) =>
    inTransaction((sql) => declineInvite(sql, token)).pipe(
      Effect.map((invitation) => renderPage("Declined", about(invitation))),
    ),
  signIn: (asked, field) =>
    Effect.gen(function* () {
      yield* inTransaction((sql) => readInvitation(sql, asked.token))
      const proved = yield* signInWithPassword(field("email"), field("password"))
      const challenge = yield* challengeFor(proved)
      return challenge === null ? yield* acceptAndSignIn(asked, proved) : codePage(asked.token, challenge.mfaToken)
    }).pipe(Effect.catchTag("Unauthorized", ({ detail }) => show(asked, { text: detail, status: 401 }))),
  code: (asked, field) =>
    signInWithCode(field("mfaToken"), field("code")).pipe(
      Effect.flatMap((proved) => acceptAndSignIn(asked, proved)),
      Effect.catchTags({
        Unauthorized: ({ detail }) => Effect.succeed(codePage(asked.token, field("mfaToken"), detail)),
        // The step has expired, or had too many attempts.
        InvalidToken: () => show(asked, { text: "Sign in again: the code came too late.", status: 401 }),
      }),
    ),
  signUp: (asked, field) =>
    Effect.gen(function* () {
      const given = { name: field("name"), email: field("email"), password: field("password") }
      const person = Option.getOrUndefined(readSignUp(given))
      if (person === undefined) {
        const text = "Give a name, an e-mail address, and a password of 8 to 256 characters that is not a common one."
        return yield* show(asked, { text, status: 400 })
      }
      const invitation = yield* inTransaction((sql) => readInvitation(sql, asked.token))
      if (invitation.status !== "pending") return yield* show(asked)
      yield* (yield* RateLimits).take("signup", asked.request.client)
      return yield* acceptAndSignIn(asked, yield* createAccount(person, asked.token))
    }).pipe(
      Effect.catchTag("SignupClosed", () =>
        show(asked, { text: "This server takes no new accounts; sign in with the one you have.", status: 403 }),
      ),
      Effect.catchTag("EmailTaken", () =>
        show(asked, { text: "An account with this address exists; sign in with it.", status: 409 }),
      ),
    ),
} satisfies { readonly [action: string]: (asked: Asked, field: Field) => ReturnType<PageRoute["answer"]> }

const isAction = (text: string): text is keyof typeof ACTIONS => Object.hasOwn(ACTIONS, text)

/** `path` is the form's target: the form holds the token, while an older link has it in its path. */
const act = (path: "/invite" | "/invite/:token") => ({
  method: "POST" as const,
  path,
  answer: (request: HttpRequest) =>
    Effect.gen(function* () {
      // This form may be authenticated by a cookie, so it must have come from this site.
      if (isForeignSite(request, yield* HttpSettings)) {
        return yield* new Forbidden({ detail: "Answer the invitation on its own page." })
      }
      const field = yield* readForm(request)
      const asked = { request, token: request.params["token"] ?? field("token") }
      const action = field("action")
      return yield* isAction(action) ? ACTIONS[action](asked, field) : show(asked)
    }),
})

export const invitePages = [
  { method: "GET", path: "/invite", answer: () => Effect.succeed(openingPage("Your invitation", "/invite/open")) },
  openRoute("/invite", (token, request) => show({ request, token })),
  {
    method: "GET",
    path: "/invite/:token",
    answer: (request) => show({ request, token: request.params["token"] ?? "" }),
  },
  act("/invite"),
  act("/invite/:token"),
] satisfies ReadonlyArray<PageRoute>
