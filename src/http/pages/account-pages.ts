/** Pages for confirming an address and choosing a new password, reached from an email. */
import { Effect, Schema } from "effect"
import { isAccountToken, verifyEmail } from "../../identity/accounts/account-tokens.ts"
import { Passwords } from "../../identity/accounts/passwords.ts"
import { Database } from "../../store/database.ts"
import { NewPassword } from "../contract/accounts/accounts.ts"
import { resetPasswordBy } from "../handlers/accounts/first-proof.ts"
import type { HttpRequest } from "../transport/message.ts"
import {
  alert,
  type Html,
  html,
  openingPage,
  openRoute,
  type PageRoute,
  queryValue,
  readForm,
  renderPage,
} from "./page.ts"

const expired = () =>
  renderPage(
    "This link no longer works",
    html`<p>It was used already, has expired, or was replaced by a newer one. Ask for a new email.</p>`,
    { status: 400 },
  )

const hidden = (token: string): Html => html`<input type="hidden" name="token" value="${token}">`

const resetForm = (token: string, problem?: string) =>
  renderPage(
    "Choose a new password",
    html`${problem === undefined ? "" : alert(problem)}<form method="post" action="/reset">${hidden(token)}
<label>New password (8 characters or more)<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required></label>
<button>Set the password</button></form>`,
    { status: problem === undefined ? 200 : 400 },
  )

const isPassword = Schema.is(NewPassword)

const isOpen = (purpose: "verify_email" | "reset_password", token: string) =>
  Effect.flatMap(Database, (database) => database.run((sql) => isAccountToken(sql, purpose, token)))

/** An older link has its token in the query and opens the page at once. */
const opened = <Services>(
  request: HttpRequest,
  title: string,
  show: (token: string) => ReturnType<PageRoute<Services>["answer"]>,
) => {
  const token = queryValue(request, "token")
  return token === "" ? Effect.succeed(openingPage(title, `${request.path}/open`)) : show(token)
}

const showVerify = (token: string) =>
  Effect.map(isOpen("verify_email", token), (open) =>
    open
      ? renderPage(
          "Confirm your e-mail address",
          html`<form method="post" action="/verify">${hidden(token)}<button>Confirm the address</button></form>`,
        )
      : expired(),
  )

const showReset = (token: string) =>
  Effect.map(isOpen("reset_password", token), (open) => (open ? resetForm(token) : expired()))

export const accountPages = [
  { method: "GET", path: "/verify", answer: (request) => opened(request, "Confirm your e-mail address", showVerify) },
  openRoute("/verify", showVerify),
  {
    method: "POST",
    path: "/verify",
    answer: (request) =>
      Effect.gen(function* () {
        const field = yield* readForm(request)
        const database = yield* Database
        return yield* database
          .transaction((sql) => verifyEmail(sql, field("token")))
          .pipe(
            Effect.map((email) =>
              renderPage("Confirmed", html`<p>${email} is confirmed. You can close this page.</p>`),
            ),
            Effect.catchTag("InvalidToken", () => Effect.succeed(expired())),
          )
      }),
  },
  { method: "GET", path: "/reset", answer: (request) => opened(request, "Choose a new password", showReset) },
  openRoute("/reset", showReset),
  {
    method: "POST",
    path: "/reset",
    answer: (request) =>
      Effect.gen(function* () {
        const field = yield* readForm(request)
        const token = field("token")
        const password = field("password")
        // The link is checked first, so that no password is hashed for a caller without one.
        if (!(yield* isOpen("reset_password", token))) return expired()
        if (!isPassword(password))
          return resetForm(token, "The password must have 8 to 256 characters and must not be a common one.")
        const passwordHash = yield* (yield* Passwords).hash(password)
        return yield* resetPasswordBy(token, passwordHash, request.requestId).pipe(
          Effect.as(
            renderPage(
              "Your password is set",
              html`<p>You were signed out everywhere. Sign in with the new password.</p>`,
            ),
          ),
          Effect.catchTag("InvalidToken", () => Effect.succeed(expired())),
        )
      }),
  },
] satisfies ReadonlyArray<PageRoute>
