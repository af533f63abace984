/** Settings of the installation that handlers need. */
import { Context } from "effect"
import type { Shown } from "../../config/shown.ts"
import type { MediaQuota } from "../../store/media/quota.ts"

export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** Name of this process among the nodes. */
    readonly node: string
    readonly shown: Shown
    /** Base address used by clients, without a trailing slash. */
    readonly publicUrl: string
    /** Whether a page under the host name of the request counts as ours. Never in production, because a request may give any name. */
    readonly trustsHost: boolean
    /** Base address of links in emails, without a trailing slash; defaults to this server's own pages. */
    readonly appUrl: string
    /**
     * Whether answers include mailed links. Never in production: a reset link in an answer to any caller would open every account of a
     * server without mail.
     */
    readonly emailDevMode: boolean
    /** Whether answers name ignored properties of a body. Never in production: integrators may send more than we read. */
    readonly namesIgnored: boolean
    /** Without a mail server, the managers of an object get its links instead. */
    readonly sendsMail: boolean
    /** Whether emails to others are sent only for accounts with a proved address. */
    readonly provedSendersOnly: boolean
    /** Emails per day (UTC) that a workspace may send to addresses it chose. */
    readonly mailPerWorkspacePerDay: number
    /** Limit of one recording; 0 means no limit. */
    readonly mediaMaxBytes: number
    readonly mediaQuota: MediaQuota
    /** Workspaces that an account may found; 0 means no limit. */
    readonly workspacesPerAccount: number
    /** The deployment's rule for new accounts (`SIGNUP`). */
    readonly signup: "open" | "invited" | "off"
    /** Schedule of backups; `to` is null where there is none. */
    readonly backup: { readonly to: string | null; readonly everyHours: number }
    /** Whether a model writes summaries of transcripts. */
    readonly summarises: boolean
    /** Default capacity of an event. */
    readonly defaultCapacity: number
    /** Days after the end of an event for which its kept history can be replayed. */
    readonly keptHistoryDays: number
  }
>()("gathercue/HttpSettings") {}
