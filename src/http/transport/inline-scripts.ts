/** Content security policy of a page with inline scripts: only these run, and they connect to this server only. */
import { createHash } from "node:crypto"

/** Matches executable scripts; a script element with a type holds data. */
const SCRIPT = /<script>([\s\S]*?)<\/script>/g

export const policyOfPage = (page: Uint8Array): string => {
  const scripts = [...Buffer.from(page).toString("utf8").matchAll(SCRIPT)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  )
  return [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}
