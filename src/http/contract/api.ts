/** The whole REST contract. The types, the OpenAPI description, the routes and the typed client all derive from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccountData } from "./accounts/account-data.ts"
import { AccountSecurity } from "./accounts/account-security.ts"
import { Accounts } from "./accounts/accounts.ts"
import { PasskeysApi } from "./accounts/passkeys.ts"
import { Proofs } from "./accounts/proofs.ts"
import { SecondFactorsApi } from "./accounts/second-factors.ts"
import { SignIn } from "./accounts/sign-in.ts"
import { Sso } from "./accounts/sso.ts"
import { Broadcasts } from "./events/broadcasts.ts"
import { Clips } from "./events/clips.ts"
import { Emails } from "./events/emails.ts"
import { Events } from "./events/events.ts"
import { Forms } from "./events/forms.ts"
import { GatewayTokens } from "./events/gateway-tokens.ts"
import { Imports } from "./events/imports.ts"
import { JoinCodes } from "./events/join-codes.ts"
import { Live } from "./events/live.ts"
import { PublicEvents } from "./events/public-events.ts"
import { Questions } from "./events/questions.ts"
import { Recordings } from "./events/recordings.ts"
import { Registrations } from "./events/registrations.ts"
import { Reports } from "./events/reports.ts"
import { TableSummaries } from "./events/table-summary.ts"
import { Transcripts } from "./events/transcripts.ts"
import { Help } from "./help.ts"
import { Meta } from "./meta.ts"
import { Platform } from "./platform.ts"
import { Audit } from "./workspaces/audit.ts"
import { ConnectionsApi } from "./workspaces/connections.ts"
import { Guests } from "./workspaces/guests.ts"
import { Invites } from "./workspaces/invites.ts"
import { Links } from "./workspaces/links.ts"
import { People } from "./workspaces/people.ts"
import { PersonalData } from "./workspaces/personal-data.ts"
import { Webhooks } from "./workspaces/webhooks.ts"
import { Workspaces } from "./workspaces/workspaces.ts"

/** Version of the description. */
export const DESCRIPTION_VERSION = "1.0.0"

export const Api = HttpApi.make("gathercue")
  .add(
    Events,
    Questions,
    Live,
    Reports,
    Registrations,
    JoinCodes,
    PublicEvents,
    Forms,
    Emails,
    Imports,
    People,
    PersonalData,
    GatewayTokens,
    Guests,
    Webhooks,
    Broadcasts,
    Recordings,
    Clips,
    Transcripts,
    TableSummaries,
    Workspaces,
    Invites,
    Links,
    Audit,
    Accounts,
    AccountSecurity,
    AccountData,
    SecondFactorsApi,
    PasskeysApi,
    Proofs,
    SignIn,
    Sso,
    ConnectionsApi,
    Help,
    Platform,
    Meta,
  )
  .annotate(OpenApi.Title, "Gathercue")
  .annotate(OpenApi.License, { name: "Apache-2.0", identifier: "Apache-2.0" })
  .annotate(OpenApi.Version, DESCRIPTION_VERSION)
  .annotate(
    OpenApi.Description,
    "Schedule live events, drive them, and let people in. Everything that happens live is pushed over the gateway and to your webhooks. Fields, operations and the values of a set with `x-extensible-enum` may be added: ignore what you do not know. The server does the same with the properties of a body, where its schema does not close it.",
  )
