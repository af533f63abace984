/** Logo, colours and scheme of the event's or the workspace's branding. */
import { useLayoutEffect } from "react"
import type { PublicEvent } from "../api/public-event.ts"

type Branding = PublicEvent["branding"]

/** The tokens of a branding, which `base.css` reads at the root; undefined without an accent. */
const tokensOf = ({ accent, shades }: Branding): Readonly<Record<string, string>> | undefined => {
  if (accent === null || shades === null) return undefined
  const { light, dark } = shades
  return {
    "--brand-color": accent,
    "--brand-accent": `light-dark(${light.accent}, ${dark.accent})`,
    "--brand-on-accent": `light-dark(${light.onAccent}, ${dark.onAccent})`,
    "--brand-soft": `light-dark(${light.soft}, ${dark.soft})`,
  }
}

const TOKENS = ["--brand-color", "--brand-accent", "--brand-on-accent", "--brand-soft"]

/** The whole page wears the branding, from its first read on and after each change. */
export const useBranding = (branding: Branding | undefined): void => {
  useLayoutEffect(() => {
    if (branding === undefined) return
    const { style, dataset } = document.documentElement
    const tokens = tokensOf(branding)
    // Styles set by a script need no permission of the page's policy.
    for (const name of TOKENS) style.setProperty(name, tokens?.[name] ?? "")
    if (branding.theme === "light" || branding.theme === "dark") dataset["theme"] = branding.theme
    else document.documentElement.removeAttribute("data-theme")
    // The server's own, which may be older.
    document.getElementById("branding")?.remove()
  }, [branding])
}

export const Logo = ({ of: { branding, workspace } }: { readonly of: Pick<PublicEvent, "branding" | "workspace"> }) =>
  branding.logoUrl === null ? null : <img className="logo" src={branding.logoUrl} alt={workspace.name} />
