/** The whole REST contract. Types, the OpenAPI description, the routes and the typed client all derive from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccountSecurity } from "./account-security.ts"
import { Accounts } from "./accounts.ts"
import { Audit } from "./audit.ts"
import { Broadcasts } from "./broadcasts.ts"
import { Events } from "./events.ts"
import { GatewayTokens } from "./gateway-tokens.ts"
import { Guests } from "./guests.ts"
import { Help } from "./help.ts"
import { Invites } from "./invites.ts"
import { Meta } from "./meta.ts"
import { People } from "./people.ts"
import { PublicEvents } from "./public-events.ts"
import { Questions } from "./questions.ts"
import { SignIn } from "./sign-in.ts"
import { TableSummaries } from "./table-summary.ts"
import { Transcripts } from "./transcripts.ts"
import { Webhooks } from "./webhooks.ts"
import { Workspaces } from "./workspaces.ts"

/** Version of the description (specification §9). */
export const DESCRIPTION_VERSION = "1.0.0"

export const Api = HttpApi.make("gathercue")
  .add(
    Accounts,
    AccountSecurity,
    SignIn,
    Workspaces,
    Invites,
    Audit,
    Events,
    Broadcasts,
    Transcripts,
    People,
    Questions,
    Webhooks,
    PublicEvents,
    TableSummaries,
    GatewayTokens,
    Guests,
    Help,
    Meta,
  )
  .annotate(OpenApi.Title, "Gathercue")
  .annotate(OpenApi.License, { name: "Apache-2.0", identifier: "Apache-2.0" })
  .annotate(OpenApi.Version, DESCRIPTION_VERSION)
  .annotate(
    OpenApi.Description,
    "Schedule live events, drive them, and let people in. Everything that happens live is pushed over the gateway and to your webhooks.",
  )
