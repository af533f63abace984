/** The content security policy of a page that has its scripts inside: exactly these run, and it connects to this server alone. */
import { createHash } from "node:crypto"

/** Data in a script element with a type is not run. */
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
