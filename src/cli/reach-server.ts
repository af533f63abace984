/** A running server of this machine, as the operator's tools reach it. */
import type { Config } from "../config/config.ts"
import { fetchFailure, fetchWithin } from "../egress/fetch-within.ts"
import { listenUrl } from "../model/listen-url.ts"

const LOOPBACK = "127.0.0.1"

/** A TLS port answers only under its own names. Undefined with PORT 0, where the listening port is unknown. */
export const serverBase = ({
  host,
  port,
  adminPort,
  acme,
  publicUrl,
}: Pick<Config, "host" | "port" | "adminPort" | "acme" | "publicUrl">): string | undefined => {
  if (adminPort !== null) return listenUrl(LOOPBACK, adminPort)
  if (acme !== null && publicUrl !== null) return publicUrl
  return port === 0 ? undefined : listenUrl(host, port)
}

/** The answer, or the reason for its absence. */
export const fetchText = (
  url: string,
  headers: Readonly<Record<string, string>>,
  withinMs: number,
): Promise<{ readonly status: number; readonly text: string } | { readonly failed: string }> =>
  fetchWithin(withinMs, url, { headers, redirect: "manual" }, async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  })).catch((cause: unknown) => ({ failed: fetchFailure(cause) }))
