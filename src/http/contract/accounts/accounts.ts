/** Accounts and sign-in. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { WorkspaceBranding } from "../../../model/presentation.ts"
import { WorkspaceRole } from "../../../model/roles.ts"
import { passwordForm } from "../../../model/text/compared.ts"
import { isEmail, isKnownEmail, MAX_EMAIL_LENGTH } from "../../../model/text/email.ts"
import { FEWEST_CHARACTERS, isGuessable } from "../../../model/text/guessable-password.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { AddressLimit, created, Example, Name } from "../endpoint.ts"
import { account, TOKEN } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"

const FEWEST_OF_EMAIL = 3

/** An address as typed: the server brings it into one form before it is stored or looked up. */
export const Email = Schema.String.annotate({
  format: "email",
  description:
    "Trimmed, lower-cased, in Unicode NFC and with its domain in letters before it is stored. Letters of any script, without quotes, markup or invisible characters.",
}).check(
  Schema.isBetweenCodePoints(FEWEST_OF_EMAIL, MAX_EMAIL_LENGTH),
  Schema.makeFilter((text) => isEmail(text) || "must be an e-mail address"),
)

/** An address that is only looked up: newer rules do not lock out an account that was made under older ones. */
export const KnownEmail = Schema.String.annotate({
  format: "email",
  description: "Trimmed and lower-cased before it is looked up, in Unicode NFC and with its domain in letters.",
}).check(
  Schema.isBetweenCodePoints(FEWEST_OF_EMAIL, MAX_EMAIL_LENGTH),
  Schema.makeFilter((text) => isKnownEmail(text) || "must be an e-mail address"),
)

const TOO_SHORT = `must have at least ${FEWEST_CHARACTERS} characters, of which an accent is none`

/** 8 to 256 characters of any kind, never trimmed, and not among the passwords that are guessed first. */
export const NewPassword = Schema.String.annotate({
  format: "password",
  description:
    "8 to 256 characters of any kind, of which an accent is none; never trimmed. Capitals and blanks count, and not how a keyboard composes them (Unicode NFC). Not one of the 10,000 most common passwords, not blank, and not one character again and again.",
}).check(
  Schema.isBetweenCodePoints(FEWEST_CHARACTERS, 256),
  // A password that is too short as typed is reported with that fault alone.
  Schema.makeFilter(
    (text) => [...text].length < FEWEST_CHARACTERS || [...passwordForm(text)].length >= FEWEST_CHARACTERS || TOO_SHORT,
  ),
  Schema.makeFilter(
    (text) => !isGuessable(text) || "must not be a common password, blank, or one character again and again",
  ),
)

/** Six digits of an authenticator app, or a recovery code. */
export const Code = Schema.String.annotate({
  description: "Six digits of an authenticator app, or a recovery code. Blanks and hyphens do not matter.",
}).check(Schema.isBetweenCodePoints(6, 64))

export const AccountView = Schema.Struct({
  account: Schema.Struct({
    id: Uuid,
    name: Schema.String,
    email: Schema.String,
    emailVerified: Schema.Boolean,
    createdAt: Instant,
    /** Whether the account has a second factor. */
    mfa: Schema.Boolean,
  }).annotate(named("Account")),
  emails: Schema.Array(
    Schema.Struct({
      id: Uuid,
      email: Schema.String,
      verified: Schema.Boolean,
      primary: Schema.Boolean,
    }).annotate(named("AccountEmail")),
  ),
  workspaces: Schema.Array(
    Schema.Struct({
      id: Uuid,
      name: Schema.String,
      slug: Schema.String,
      role: WorkspaceRole,
      /** Whether members need a second factor. */
      requireMfa: Schema.Boolean,
      /** Whether members other than owners must sign in with the workspace's identity provider. */
      sso: Schema.Literals(["optional", "required"]),
      /** Whether everybody sees its public events at `/w/{slug}`. */
      publicList: Schema.Boolean,
      branding: Schema.NullOr(WorkspaceBranding),
    }).annotate(named("AccountWorkspace")),
  ),
  /** Verification link of a signup, in e-mail dev mode only. */
  verifyUrl: Schema.optionalKey(Schema.String),
}).annotate(named("AccountView"))
export type AccountView = typeof AccountView.Type

/** Answer to a correct password. `POST /v1/accounts/login/code` takes the token with a code of the second factor. */
export const MfaChallenge = Schema.Struct({
  mfaRequired: Schema.Literal(true),
  mfaToken: Schema.String,
  /** An account with a passkey can also sign in with the passkey alone. */
  methods: Schema.Array(Schema.Literals(["totp", "recovery_code", "passkey"])),
  expiresAt: Instant,
}).annotate(named("MfaChallenge"))

export const Accounts = HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.post("signup", "/v1/accounts/signup", {
      payload: Schema.Struct({
        email: Email,
        password: NewPassword,
        name: Name,
        /** Token of an open invite, needed where sign-up is by invite only. */
        inviteToken: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(256))),
      }),
      success: created(AccountView),
      error: problems(...WITH_BODY, "signup_closed", "email_taken", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "signup")
      .annotate(OpenApi.Summary, "Create an account and its first workspace, and sign in")
      .annotate(
        OpenApi.Description,
        "Makes an account, its first workspace and a session cookie, and sends an email that proves the address. Outside production the answer also has that email's link.",
      )
      .annotate(Example, {
        request: { email: "ada@example.com", password: "correct horse battery", name: "Ada Lovelace" },
        response: account,
      }),
    HttpApiEndpoint.post("login", "/v1/accounts/login", {
      payload: Schema.Struct({ email: Schema.String, password: Schema.String }),
      success: Schema.Union([AccountView, MfaChallenge]),
      error: problems(...WITH_BODY, ...COMMON, "rate_limited"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "login")
      .annotate(OpenApi.Summary, "Sign in")
      .annotate(
        OpenApi.Description,
        "Answers with the account and sets the session cookie; for an account with a second factor with `mfaRequired`, and without a cookie. Tries are limited by address and by account.",
      )
      .annotate(Example, {
        request: { email: "ada@example.com", password: "correct horse battery" },
        response: account,
      }),
    HttpApiEndpoint.post("loginWithCode", "/v1/accounts/login/code", {
      payload: Schema.Struct({ mfaToken: Schema.String.check(Schema.isMinLength(1)), code: Code }),
      success: AccountView,
      error: problems(...WITH_BODY, "invalid_token", ...COMMON, "rate_limited"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "login")
      .annotate(OpenApi.Summary, "Sign in, second step: a code of the second factor")
      .annotate(
        OpenApi.Description,
        "Takes the `mfaToken` of a login and a code of the second factor, and answers as a login does. The token is good for five minutes and five tries (`invalid_token` afterwards), and each code once.",
      )
      .annotate(Example, { request: { mfaToken: TOKEN, code: "492039" }, response: account }),
    HttpApiEndpoint.post("logout", "/v1/accounts/logout", { error: problems(...COMMON) })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "End the session")
      .annotate(OpenApi.Description, "Ends the session of the cookie and removes the cookie. Other sessions go on."),
    HttpApiEndpoint.get("me", "/v1/accounts/me", { success: AccountView, error: problems(...COMMON) })
      .annotate(EndpointAccess, "account")
      .annotate(OpenApi.Summary, "The signed-in account")
      .annotate(
        OpenApi.Description,
        "The account of the cookie, with its addresses and the workspaces that it belongs to.",
      )
      .annotate(Example, { response: account }),
  )
  .annotate(OpenApi.Description, "Accounts and sign-in.")
