/** Texts of the pages in the languages besides English. The compiler checks their keys, but for codes and for what they say. */
import { expect, test } from "vitest"
import { consoleDe } from "../packages/web/src/texts/console/de.ts"
import { type ConsoleTexts, consoleEn } from "../packages/web/src/texts/console/en.ts"
import { consoleEs } from "../packages/web/src/texts/console/es.ts"
import { consoleFr } from "../packages/web/src/texts/console/fr.ts"
import { consoleJa } from "../packages/web/src/texts/console/ja.ts"
import { de as deCommon } from "../packages/web/src/texts/de.ts"
import { en as enCommon } from "../packages/web/src/texts/en.ts"
import { es as esCommon } from "../packages/web/src/texts/es.ts"
import { fr as frCommon } from "../packages/web/src/texts/fr.ts"
import { ja as jaCommon } from "../packages/web/src/texts/ja.ts"

const de: ConsoleTexts = { ...deCommon, ...consoleDe }
const en: ConsoleTexts = { ...enCommon, ...consoleEn }
const es: ConsoleTexts = { ...esCommon, ...consoleEs }
const fr: ConsoleTexts = { ...frCommon, ...consoleFr }
const ja: ConsoleTexts = { ...jaCommon, ...consoleJa }

/** Distinct values for the parameters of a text, none of which is part of another. */
const VALUES = [7117, 8228, 9339]

type Leaf = readonly [path: string, text: string]

/** All texts with their paths. A text with parameters gets the values. */
const leavesOf = (node: unknown, path = ""): ReadonlyArray<Leaf> => {
  if (typeof node === "string") return [[path, node]]
  if (typeof node === "function") return [[path, String(node(...VALUES))]]
  // A pair of a part's name, which the pages have in their addresses, and its title.
  if (Array.isArray(node) && typeof node[0] === "string") return [[`${path}.${node[0]}`, node[1]]]
  if (typeof node !== "object" || node === null) throw new Error(`${path} is no text`)
  return Object.entries(node).flatMap(([key, one]) => leavesOf(one, path === "" ? key : `${path}.${key}`))
}

const english = leavesOf(en)
const forEachLanguage = (check: (texts: ConsoleTexts, code: "de" | "es" | "fr" | "ja") => void): void => {
  check(de, "de")
  check(es, "es")
  check(fr, "fr")
  check(ja, "ja")
}

test("every language has the texts of English, also those by code", () => {
  const paths = english.map(([path]) => path).toSorted()
  expect(paths.length).toBeGreaterThan(900)
  forEachLanguage((texts) =>
    expect(
      leavesOf(texts)
        .map(([path]) => path)
        .toSorted(),
    ).toEqual(paths),
  )
})

test("every text with parameters names the values that the English one names", () => {
  const named = (text: string) => VALUES.filter((value) => text.includes(String(value)))
  const ofEnglish = new Map(english.map(([path, text]) => [path, named(text)]))
  forEachLanguage((texts) => {
    const differing = leavesOf(texts).filter(([path, text]) => named(text).join() !== ofEnglish.get(path)?.join())
    expect(differing).toEqual([])
  })
})

/** Terms and names that a language has in common with English. A text is here with its values. */
const SHARED = {
  de: [
    "Chat",
    "Chat (CSV)",
    "Code",
    "Details",
    "Deutsch",
    "English",
    "Frames",
    "Live",
    "Lobby",
    "Meeting",
    "Name",
    "Passkeys",
    "Studio",
    "Uploads",
    "Webhooks",
    "Webinar",
    "Workshop",
    "in 7117",
  ],
  es: ["Chat", "Deutsch", "English", "No", "Roles", "Roles (CSV)", "Speed networking", "Webhooks"],
  fr: [
    "7117 points",
    "7117 votes",
    "Code",
    "Console",
    "Description",
    "Deutsch",
    "E-mails",
    "English",
    "Exports",
    "Questions",
    "Speed networking",
    "Studio",
    "Webhooks",
    "active",
    "participant",
    "quiz",
    "session",
  ],
  ja: ["Deutsch", "English"],
}

test("no text is left in English", () => {
  const ofEnglish = new Map(english)
  forEachLanguage((texts, code) => {
    const same = leavesOf(texts).filter(([path, text]) => ofEnglish.get(path) === text && /\p{L}{2}/u.test(text))
    expect([...new Set(same.map(([, text]) => text))].toSorted(), code).toEqual(SHARED[code])
  })
})

test("a number has the form of its noun", () => {
  expect([de.live.votes(1), de.live.votes(2)]).toEqual(["1 Stimme", "2 Stimmen"])
  expect([de.live.voters(1), de.live.voters(2)]).toEqual(["1 Person hat abgestimmt", "2 Personen haben abgestimmt"])
  expect([de.host.tries(1), de.host.tries(3)]).toEqual(["1 Versuch", "3 Versuche"])
  expect([es.live.votes(1), es.live.votes(2)]).toEqual(["1 voto", "2 votos"])
  expect([es.attendee.found(0), es.attendee.found(1)]).toEqual(["0 resultados", "1 resultado"])
  expect(es.live.goTo("Lima", 1)).toBe("Ir a Lima (1 persona)")
  expect([es.host.replayed(1), es.host.replayed(4)]).toEqual([
    "Se ha reenviado 1 entrega.",
    "Se han reenviado 4 entregas.",
  ])
  // In French, zero is singular.
  expect([0, 1, 2].map(fr.live.votes)).toEqual(["0 vote", "1 vote", "2 votes"])
  expect([0, 1, 2].map(fr.live.here)).toEqual(["0 personne présente", "1 personne présente", "2 personnes présentes"])
  expect([1, 5].map(fr.live.handsUp)).toEqual(["1 main levée", "5 mains levées"])
  expect([ja.live.votes(1), ja.live.votes(2)]).toEqual(["1票", "2票"])
  expect([ja.attendee.found(1), ja.host.tries(3)]).toEqual(["1件", "3回試行"])
})

test("the texts have the punctuation of their language", () => {
  expect(fr.attendee.when("lundi")).toBe("Début\u00a0: lundi")
  expect(fr.host.forgotten).toBe("Mot de passe oublié\u202f?")
  expect(fr.host.now.phase("Réunion")).toBe("l’étape en cours est désormais «\u00a0Réunion\u00a0».")
  expect(fr.live.share(3, 60)).toBe("3 (60\u202f%)")
  expect(es.host.forgotten).toBe("¿Ha olvidado su contraseña?")
  expect(es.live.share(3, 60)).toBe("3 (60\u00a0%)")
  expect(ja.live.share(3, 60)).toBe("3票（60%）")
  // A mark that French separates follows a space that does not break; English quotes are in none.
  const texts = leavesOf(fr).filter(([, text]) => / [?!;%»]|[^\s\u00a0\u202f][?!;»]|« |["']/u.test(text))
  expect(texts).toEqual([])
})
