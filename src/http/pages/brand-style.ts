/** The colours and the scheme of a branding in a page that the server sends, so that its first paint has them. */
import { createHash } from "node:crypto"
import type { Theme } from "../../model/presentation.ts"
import { type Shades, shadesOf } from "../../model/shades.ts"
import type { HttpResponse } from "../transport/message.ts"
import { type Html, html } from "./page.ts"

interface Worn {
  readonly accent: string | null
  readonly theme: Theme | null
}

const declarations = (accent: string, { light, dark }: Shades): string =>
  [
    `--brand-color:${accent}`,
    `--brand-accent:light-dark(${light.accent},${dark.accent})`,
    `--brand-on-accent:light-dark(${light.onAccent},${dark.onAccent})`,
    `--brand-soft:light-dark(${light.soft},${dark.soft})`,
  ].join(";")

/** Rules for the tokens of `packages/web/src/ui/base.css`; empty without an accent. */
const rulesOf = ({ accent }: Worn): string =>
  accent === null ? "" : `:root{${declarations(accent, shadesOf(accent))}}`

const STYLE_POLICY = "style-src 'self'"

/** The page's policy allows the one style element by its hash. */
const withHash = (headers: HttpResponse["headers"], rules: string): HttpResponse["headers"] => {
  const hash = createHash("sha256").update(rules).digest("base64")
  return headers.map(([name, value]) => [
    name,
    name === "content-security-policy" ? value.replace(STYLE_POLICY, `${STYLE_POLICY} 'sha256-${hash}'`) : value,
  ])
}

/** Attribute of the root element that fixes the scheme. */
export const themeAttribute = ({ theme }: Worn): Html =>
  theme === null || theme === "system" ? html`` : html` data-theme="${theme}"`

/** The style element for the page's head, and the headers that allow it. */
export const brandStyle = (
  worn: Worn,
  headers: HttpResponse["headers"],
): { readonly element: string; readonly headers: HttpResponse["headers"] } => {
  const rules = rulesOf(worn)
  return rules === ""
    ? { element: "", headers }
    : { element: `<style id="branding">${rules}</style>`, headers: withHash(headers, rules) }
}
