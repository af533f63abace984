/** Texts of the pages behind links in emails about events, and of lists of events. A page speaks the event's language, or else the reader's. */
import type { Language } from "../../model/presentation.ts"
import type { HttpRequest } from "../transport/message.ts"
import { type Html, html } from "./page.ts"
import { preferredLanguage } from "./preferred-language.ts"

const en = {
  yourRegistration: "Your registration",
  registrationFor: (name: string, event: Html) => html`${name}, this is your registration for ${event}.`,
  approved: "You have a place. The link to enter is in your email.",
  pending: "The organisers decide about your registration; an email will tell you what.",
  waiting: (position: Html) =>
    html`The event is full. You are number ${position} of the waiting list; when it is your turn, an email offers you a place.`,
  offered: "A place is free for you.",
  offeredUntil: (moment: Html) => html`A place is free for you until ${moment}.`,
  expired: "The offer is over, and the place goes to the next person. You may register again.",
  declined: "The organisers have declined your registration.",
  cancelled: "The event is cancelled.",
  take: "Take the place",
  taken: "You have a place",
  hasPlace: (name: string, event: Html) =>
    html`${name}, you have a place at ${event}. An email brings you the link to enter.`,

  cannotCome: "You cannot come?",
  giveUp: (name: string, event: Html) =>
    html`${name}, you have a place at ${event}. If you cannot come, give it free for somebody else.`,
  withdraw: (name: string, event: Html) =>
    html`${name}, you are registered for ${event}. If you cannot come, you can withdraw.`,
  leave: "I cannot come",
  placeIsFree: "Your place is free",
  left: (event: Html, again: (text: string) => Html) =>
    html`You have no place at ${event} any more. If you can come after all, ${again("register again")}.`,

  noMore: "No more emails",
  yourEmails: "Emails you get",
  kinds: {
    invitation: "invitations",
    tableNotes: "notes of tables",
    reminder: "reminders of events",
    thanks: "emails after events",
  },
  gets: (kind: string, workspace: Html) => html`This address gets ${kind} from ${workspace}.`,
  getsNone: (kind: string, workspace: Html) => html`This address gets no more ${kind} from ${workspace}.`,
  refuse: (kind: string) => `No more ${kind}`,
  resume: "Get them again",

  search: "Search",
  noEvents: "No event is planned.",
  noneFound: "No event to come has this in its title.",
  calendar: "Calendar of these events",
  markCancelled: "Cancelled",
  markLive: "Live now",
}

type PageWords = typeof en

const de: PageWords = {
  yourRegistration: "Deine Anmeldung",
  registrationFor: (name, event) => html`${name}, das ist deine Anmeldung für ${event}.`,
  approved: "Du hast einen Platz. Der Link zur Veranstaltung steht in deiner E-Mail.",
  pending: "Die Veranstalter entscheiden über deine Anmeldung; eine E-Mail sagt dir, wie.",
  waiting: (position) =>
    html`Die Veranstaltung ist ausgebucht. Du stehst auf der Warteliste an Stelle ${position}; bist du an der Reihe, bietet dir eine E-Mail einen Platz an.`,
  offered: "Ein Platz ist frei für dich.",
  offeredUntil: (moment) => html`Ein Platz ist frei für dich, bis ${moment}.`,
  expired: "Das Angebot ist abgelaufen, und der Platz geht an die nächste Person. Du kannst dich wieder anmelden.",
  declined: "Die Veranstalter haben deine Anmeldung abgelehnt.",
  cancelled: "Die Veranstaltung ist abgesagt.",
  take: "Platz annehmen",
  taken: "Du hast einen Platz",
  hasPlace: (name, event) =>
    html`${name}, du hast einen Platz bei ${event}. Eine E-Mail bringt dir den Link zur Veranstaltung.`,

  cannotCome: "Du kannst nicht kommen?",
  giveUp: (name, event) =>
    html`${name}, du hast einen Platz bei ${event}. Wenn du nicht kommen kannst, gib ihn für jemand anderen frei.`,
  withdraw: (name, event) =>
    html`${name}, du bist für ${event} angemeldet. Wenn du nicht kommen kannst, kannst du dich abmelden.`,
  leave: "Ich kann nicht kommen",
  placeIsFree: "Dein Platz ist frei",
  left: (event, again) =>
    html`Du hast keinen Platz mehr bei ${event}. Kannst du doch kommen, ${again("melde dich wieder an")}.`,

  noMore: "Keine E-Mails mehr",
  yourEmails: "E-Mails, die du bekommst",
  kinds: {
    invitation: "Einladungen",
    tableNotes: "Tischnotizen",
    reminder: "Erinnerungen an Veranstaltungen",
    thanks: "E-Mails nach Veranstaltungen",
  },
  gets: (kind, workspace) => html`Diese Adresse bekommt ${kind} von ${workspace}.`,
  getsNone: (kind, workspace) => html`Diese Adresse bekommt keine ${kind} mehr von ${workspace}.`,
  refuse: (kind) => `Keine ${kind} mehr`,
  resume: "Wieder bekommen",

  search: "Suchen",
  noEvents: "Keine Veranstaltung ist geplant.",
  noneFound: "Keine kommende Veranstaltung hat das im Titel.",
  calendar: "Kalender dieser Veranstaltungen",
  markCancelled: "Abgesagt",
  markLive: "Jetzt live",
}

const WORDS: { readonly [language in Language]: PageWords } = { en, de }

/** For what all readers share, such as a share card; English for an event without a language. */
export const wordsIn = (language: Language | null): PageWords => WORDS[language ?? "en"]

const isSpoken = (tag: string): tag is Language => Object.hasOwn(WORDS, tag)

interface Speaking {
  readonly language: Language
  readonly words: PageWords
}

/** `ofEvent`: the language of the event that the page is about. */
export const speaking = (request: HttpRequest, ofEvent: Language | null = null): Speaking => {
  const language = ofEvent ?? preferredLanguage(request, isSpoken) ?? "en"
  return { language, words: WORDS[language] }
}
