/** Settings of the installation that handlers need. */
import { Context } from "effect"
import type { Shown } from "../../config/shown.ts"
import type { MediaQuota } from "../../store/media/quota.ts"

export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** The name of this process among the nodes. */
    readonly node: string
    readonly shown: Shown
    /** Base address that clients use, without a trailing slash. */
    readonly publicUrl: string
    /** A page under the name by which a request reached us counts as ours. Never in production: a request may give any name. */
    readonly trustsHost: boolean
    /** The base address of links in letters, without a trailing slash; by default this server's own pages. */
    readonly appUrl: string
    /**
     * Mailed links are part of the answers too. Never in production: a reset link in an answer to any caller would open every
     * account of a server without mail.
     */
    readonly emailDevMode: boolean
    /** Answers name the properties of a body that were ignored. Never in production: integrators may send more than we read. */
    readonly namesIgnored: boolean
    /** Without a mail server, the managers of an object get its links instead. */
    readonly sendsMail: boolean
    /** Letters to others are sent only for accounts with a proved address. */
    readonly provedSendersOnly: boolean
    /** Letters that a workspace may have sent to addresses it chose, in a day (UTC). */
    readonly mailPerWorkspacePerDay: number
    /** Of one recording; 0: no limit. */
    readonly mediaMaxBytes: number
    readonly mediaQuota: MediaQuota
    /** Workspaces that an account may found; 0: no limit. */
    readonly workspacesPerAccount: number
    /** The deployment's rule for new accounts (`SIGNUP`). */
    readonly signup: "open" | "invited" | "off"
    /** The schedule of backups; `to` is null where there is none. */
    readonly backup: { readonly to: string | null; readonly everyHours: number }
    /** A model writes summaries of transcripts. */
    readonly summarises: boolean
    /** Capacity of an event that names none. */
    readonly defaultCapacity: number
  }
>()("gathercue/HttpSettings") {}
