/** Form fields of a branding, and how a button, a heading and a link look in it on light and dark pages. */
import { GROUNDS, reachedOn, shadesOf, WANTED_CONTRAST } from "../../../../../src/model/shades.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Choice } from "../../ui/choice.tsx"
import { TextField } from "../../ui/fields.tsx"

const THEMES = ["none", "system", "light", "dark"] as const
type Theme = Exclude<(typeof THEMES)[number], "none">

/** The values as they are typed; empty for none. */
export interface BrandingValues {
  readonly accent: string
  readonly logoUrl: string
  readonly theme: Theme | null
}

export const NO_BRANDING: BrandingValues = { accent: "", logoUrl: "", theme: null }

interface Stored {
  readonly accent: string | null
  readonly logoUrl: string | null
  readonly theme: Theme | null
}

export const brandingValuesOf = (stored: Stored | null | undefined): BrandingValues => ({
  accent: stored?.accent ?? "",
  logoUrl: stored?.logoUrl ?? "",
  theme: stored?.theme ?? null,
})

/** The values as the API takes them; null where nothing is chosen. */
export const brandingOf = ({ accent, logoUrl, theme }: BrandingValues): Stored | null => {
  const given = { accent: accent.trim() || null, logoUrl: logoUrl.trim() || null, theme }
  return Object.values(given).every((value) => value === null) ? null : given
}

const COLOR = /^#[0-9a-f]{6}$/i
/** The picker needs a colour where none is chosen. */
const USUAL = "#4a3fd1"

const ratio = (value: number): string => value.toFixed(1)

const Sample = ({ accent, scheme }: { readonly accent: string; readonly scheme: "light" | "dark" }) => {
  const { host } = useConsoleTexts()
  const { sample } = host.branding
  const shade = shadesOf(accent)[scheme]
  const [, card] = GROUNDS[scheme]
  const reached = reachedOn(accent, scheme)
  return (
    <section
      className="brand-sample stack"
      aria-label={sample[scheme]}
      style={{ background: card, color: scheme === "light" ? "#15161d" : "#f1f0f6" }}
    >
      <strong>{sample[scheme]}</strong>
      <div className="row">
        <span className="brand-button" style={{ background: shade.accent, color: shade.onAccent }}>
          {sample.button}
        </span>
        <span className="brand-link" style={{ color: shade.accent }}>
          {sample.link}
        </span>
      </div>
      <span role="status">
        {shade.accent === accent.toLowerCase()
          ? sample.kept(ratio(reached))
          : sample.changed(
              ratio(reached),
              String(WANTED_CONTRAST),
              shade.accent,
              ratio(reachedOn(shade.accent, scheme, accent)),
            )}
      </span>
    </section>
  )
}

export const BrandingFields = ({
  path,
  values: { accent, logoUrl, theme },
  ofEvent = false,
  onChange,
}: {
  /** Path of the branding in the request. */
  readonly path: string
  readonly values: BrandingValues
  /** Whether empty fields take the values of the workspace. */
  readonly ofEvent?: boolean
  readonly onChange: (part: Partial<BrandingValues>) => void
}) => {
  const { host } = useConsoleTexts()
  const { branding } = host
  const typed = accent.trim()
  const isColor = COLOR.test(typed)
  return (
    <>
      {ofEvent ? <p className="quiet">{branding.ofWorkspace}</p> : null}
      <div className="row brand-color">
        <TextField
          name={`${path}.accent`}
          label={branding.accent}
          hint={branding.accentHint}
          value={accent}
          onChange={(value) => onChange({ accent: value })}
          maxLength={7}
        />
        <input
          type="color"
          aria-label={branding.pick}
          value={isColor ? typed.toLowerCase() : USUAL}
          onChange={({ target }) => onChange({ accent: target.value })}
        />
      </div>
      {isColor ? (
        <div className="split">
          <Sample accent={typed} scheme="light" />
          <Sample accent={typed} scheme="dark" />
        </div>
      ) : null}
      <TextField
        name={`${path}.logoUrl`}
        label={branding.logoUrl}
        hint={branding.logoUrlHint}
        value={logoUrl}
        onChange={(value) => onChange({ logoUrl: value })}
        maxLength={2048}
      />
      <Choice
        label={branding.theme}
        options={THEMES.map((one) => [one, branding.themes[one]] as const)}
        value={theme ?? "none"}
        onChange={(chosen) => onChange({ theme: chosen === "none" ? null : chosen })}
      />
    </>
  )
}
