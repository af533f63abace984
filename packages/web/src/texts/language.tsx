/** Texts and formats of the page's language, for every component. */
import { createContext, useContext, useMemo } from "react"
import type { ConsoleTexts } from "./console/en.ts"
import type { Texts } from "./en.ts"
import type { Language } from "./languages.ts"

interface Formats {
  /** Day and time in the viewer's time zone, with its name. `timestamp` is in RFC 3339. */
  readonly moment: (timestamp: string) => string
  /** Day and time in this time zone, with its name; undefined where the browser does not have the zone. */
  readonly momentIn: (timestamp: string, timeZone: string) => string | undefined
  /** Time of day. */
  readonly time: (timestamp: string) => string
  readonly number: (value: number) => string
  /** Duration such as "1 h 05 min". */
  readonly span: (milliseconds: number) => string
  /** Relative time such as "in 1 h 05 min", or "in 3 days". */
  readonly until: (milliseconds: number) => string
}

const DAY_MS = 86_400_000

/** Created on first use: creating a formatter takes about as long as rendering a list row. */
const once = <A,>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

// The server also writes times in this format, before any script runs (`src/http/pages/event-in-page.ts`).
const MOMENT = {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
} as const

const formatsOf = (language: Language, texts: Texts): Formats => {
  const moments = once(() => new Intl.DateTimeFormat(language, MOMENT))
  const momentIn = (timestamp: string, timeZone: string): string | undefined => {
    try {
      return new Intl.DateTimeFormat(language, { ...MOMENT, timeZone }).format(new Date(timestamp))
    } catch {
      return undefined
    }
  }
  const times = once(() => new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }))
  const numbers = once(() => new Intl.NumberFormat(language))
  const days = once(() => new Intl.RelativeTimeFormat(language))
  const span = (milliseconds: number): string =>
    texts.span(Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60)
  return {
    moment: (timestamp) => moments().format(new Date(timestamp)),
    momentIn,
    time: (timestamp) => times().format(new Date(timestamp)),
    number: (value) => numbers().format(value),
    span,
    until: (milliseconds) =>
      milliseconds < 2 * DAY_MS
        ? texts.attendee.startsIn(span(milliseconds))
        : days().format(Math.floor(milliseconds / DAY_MS), "day"),
  }
}

interface Spoken {
  readonly language: Language
  readonly texts: Texts
  readonly formats: Formats
}

const Spoken = createContext<Spoken | undefined>(undefined)

interface Props {
  readonly language: Language
  readonly texts: Texts
  readonly children: React.ReactNode
}

export const LanguageProvider = ({ language, texts, children }: Props) => {
  const value = useMemo(() => ({ language, texts, formats: formatsOf(language, texts) }), [language, texts])
  return <Spoken value={value}>{children}</Spoken>
}

const useSpoken = (): Spoken => {
  const spoken = useContext(Spoken)
  if (spoken === undefined) throw new Error("a component is outside of LanguageProvider")
  return spoken
}

export const useTexts = (): Texts => useSpoken().texts

export const hasConsoleTexts = (texts: Texts): texts is ConsoleTexts => "host" in texts

/** For components of the console, of `/ops` and of the playground alone: other pages do not load their texts. */
export const useConsoleTexts = (): ConsoleTexts => {
  const { texts } = useSpoken()
  if (!hasConsoleTexts(texts)) throw new Error("this page was shown without the texts of the console")
  return texts
}

export const useLanguage = (): Language => useSpoken().language
export const useFormats = (): Formats => useSpoken().formats
