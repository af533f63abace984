/** The page behind an invitation: its subject, and acceptance with an existing or a new account. */
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
import { issueSession } from "../requests/browser-session.ts"
import { cookieValue, isForeignSite, sessionCookieName } from "../requests/credentials.ts"
import { RateLimits } from "../requests/limits/rate-limits.ts"
import { HttpSettings } from "../requests/settings.ts"
import { deviceOf, type HttpRequest } from "../transport/message.ts"
import { alert, type Html, html, type PageRoute, readForm, renderPage } from "./page.ts"

const tokenOf = (request: HttpRequest): string => request.params["token"] ?? ""

const inTransaction = <A, E>(body: (sql: Queryable) => Effect.Effect<A, E>) =>
  Effect.flatMap(Database, (database) => database.transaction(body))

/** The account whose session cookie the browser brought. */
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
    ? html`<p>You are invited to the workspace <strong>${invitation.workspaceName}</strong> as ${invitation.role}.</p>`
    : html`<p>${invitation.workspaceName} invites you to <strong>${invitation.eventTitle}</strong> as ${invitation.role}.</p>`

const button = (token: string, action: string, label: string): Html =>
  html`<form method="post" action="/invite/${token}"><button name="action" value="${action}">${label}</button></form>`

const accountForms = (token: string): Html => html`
<h2>With your account</h2><form method="post" action="/invite/${token}">
<label>E-mail<input type="email" name="email" autocomplete="email" required></label>
<label>Password<input type="password" name="password" autocomplete="current-password" required></label>
<button name="action" value="signIn">Sign in and accept</button></form>
<h2>Or with a new one</h2><form method="post" action="/invite/${token}">
<label>Name<input name="name" autocomplete="name" maxlength="200" required></label>
<label>E-mail<input type="email" name="email" autocomplete="email" required></label>
<label>Password (8 characters or more)<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required></label>
<button name="action" value="signUp">Sign up and accept</button></form>`

const show = (request: HttpRequest, problem?: { readonly text: string; readonly status: number }) =>
  Effect.gen(function* () {
    const token = tokenOf(request)
    const invitation = yield* inTransaction((sql) => readInvitation(sql, token))
    if (invitation.status !== "pending") {
      return renderPage("This invitation is closed", html`${about(invitation)}<p>It is ${invitation.status}.</p>`)
    }
    const account = yield* visitor(request)
    const accept = account === undefined ? accountForms(token) : button(token, "accept", `Accept as ${account.name}`)
    return renderPage(
      "Your invitation",
      html`${about(invitation)}${problem === undefined ? "" : alert(problem.text)}${accept}${button(token, "decline", "Decline")}`,
      { status: problem?.status ?? 200 },
    )
  })

const accepted = (invitation: InvitationRow, cookies: ReadonlyArray<string>) =>
  renderPage("Welcome", html`${about(invitation)}<p>The invitation is accepted.</p>`, {
    headers: cookies.map((cookie) => ["set-cookie", cookie] as const),
  })

const acceptAs = (request: HttpRequest, accountId: string) =>
  Effect.map(
    inTransaction((sql) => acceptInvite(sql, tokenOf(request), accountId)),
    ({ invitation }) => invitation,
  )

/** The caller came without a session, and gets one once the invite is accepted. */
const acceptAndSignIn = (request: HttpRequest, proved: ProvedCredentials) =>
  Effect.gen(function* () {
    const invitation = yield* acceptAs(request, proved.accountId)
    return accepted(invitation, [yield* issueSession(proved, deviceOf(request))])
  })

const readSignUp = Schema.decodeUnknownOption(Schema.Struct({ name: Name, email: Email, password: NewPassword }))

type Field = (name: string) => string

const ACTIONS = {
  accept: (request: HttpRequest) =>
    Effect.flatMap(visitor(request), (account) =>
      account === undefined
        ? show(request, { text: "Sign in first.", status: 401 })
        : Effect.map(acceptAs(request, account.id), (invitation) => accepted(invitation, [])),
    ),
  decline: (request: HttpRequest) =>
    inTransaction((sql) => declineInvite(sql, tokenOf(request))).pipe(
      Effect.map((invitation) => renderPage("Declined", about(invitation))),
    ),
  signIn: (request: HttpRequest, field: Field) =>
    Effect.gen(function* () {
      yield* inTransaction((sql) => readInvitation(sql, tokenOf(request)))
      const proved = yield* signInWithPassword(field("email"), field("password"))
      return yield* acceptAndSignIn(request, proved)
    }).pipe(Effect.catchTag("Unauthorized", ({ detail }) => show(request, { text: detail, status: 401 }))),
  signUp: (request: HttpRequest, field: Field) =>
    Effect.gen(function* () {
      const given = { name: field("name"), email: field("email"), password: field("password") }
      const person = Option.getOrUndefined(readSignUp(given))
      if (person === undefined) {
        const text = "Give a name, an e-mail address, and a password of 8 to 256 characters that is not a common one."
        return yield* show(request, { text, status: 400 })
      }
      const invitation = yield* inTransaction((sql) => readInvitation(sql, tokenOf(request)))
      if (invitation.status !== "pending") return yield* show(request)
      yield* (yield* RateLimits).take("signup", request.client)
      return yield* acceptAndSignIn(request, yield* createAccount(person))
    }).pipe(
      Effect.catchTag("EmailTaken", () =>
        show(request, { text: "An account with this address exists; sign in with it.", status: 409 }),
      ),
    ),
}

export const invitePages: ReadonlyArray<PageRoute> = [
  { method: "GET", path: "/invite/:token", answer: (request) => show(request) },
  {
    method: "POST",
    path: "/invite/:token",
    answer: (request) =>
      Effect.gen(function* () {
        // This form may be authenticated by a cookie, so it must have come from this site.
        if (isForeignSite(request, yield* HttpSettings)) {
          return yield* new Forbidden({ detail: "Answer the invitation on its own page." })
        }
        const field = yield* readForm(request)
        const action = field("action")
        return yield* action in ACTIONS && Object.hasOwn(ACTIONS, action)
          ? ACTIONS[action as keyof typeof ACTIONS](request, field)
          : show(request)
      }),
  },
]
