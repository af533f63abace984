/** German texts of emails about events. */
import type { EventRole } from "../../model/roles.ts"
import type { Words } from "./en.ts"

const ROLES: { readonly [role in EventRole]: string } = {
  workspace_admin: "Leitung",
  host: "Leitung",
  speaker: "Sprecherin oder Sprecher",
  participant: "Teilnehmerin oder Teilnehmer",
  viewer: "Zuschauerin oder Zuschauer",
}

export const de: Words = {
  anEvent: "eine Veranstaltung",
  aWorkspace: "Ein Arbeitsbereich",
  hello: (name) => (name === null ? "Guten Tag," : `Guten Tag ${name},`),
  quoted: (title) => `„${title}“`,
  enter: "Zur Veranstaltung",
  leave: "Ich kann nicht kommen",
  refuseInvitations: "Keine Einladungen mehr von diesem Arbeitsbereich",
  refuseReminders: "Keine Erinnerungen mehr von diesem Arbeitsbereich",
  refuseThanks: "Keine E-Mails mehr nach Veranstaltungen dieses Arbeitsbereichs",
  refuseNotes: "Keine Tischnotizen mehr von diesem Arbeitsbereich",

  entry: {
    subject: (title) => `Dein Platz: ${title}`,
    registered: (event) => `du bist für ${event} angemeldet.`,
    registeredFor: (event, moment) => `du bist für ${event} angemeldet. Beginn: ${moment}.`,
    answers: "Deine Antworten ansehen und ändern",
    why: "Die Links gehören dir allein und gelten bis einen Tag nach der Veranstaltung. Hast du dich nicht angemeldet, beachte diese E-Mail nicht.",
  },
  reminder: {
    subject: (title, isSoon) => `${isSoon ? "Gleich geht es los" : "Erinnerung"}: ${title}`,
    begins: (event, moment, isSoon) => `${event} beginnt ${isSoon ? "in Kürze" : "bald"}. Beginn: ${moment}.`,
    why: "Du bekommst diese E-Mail, weil du dich für die Veranstaltung angemeldet hast. Die Links gehören dir allein und gelten bis einen Tag nach der Veranstaltung.",
  },
  thanks: {
    subject: (title, wasThere) => `${wasThere ? "Danke für deinen Besuch" : "Du hast gefehlt"}: ${title}`,
    wasThere: (event) => `danke, dass du bei ${event} dabei warst.`,
    missed: (event) =>
      `du warst für ${event} angemeldet. Die Veranstaltung ist vorbei; was davon bleibt, steht auf ihrer Seite.`,
    questions: "Die Veranstalter haben ein paar Fragen an dich.",
    answer: "Umfrage beantworten",
    page: "Zur Seite der Veranstaltung",
    why: (wasThere) =>
      wasThere
        ? "Du bekommst diese E-Mail, weil du bei der Veranstaltung warst."
        : "Du bekommst diese E-Mail, weil du dich für die Veranstaltung angemeldet hast.",
  },
  notes: {
    subject: (title) => `Notizen deines Tisches: ${title}`,
    ready: (event) => `die Notizen deines Tisches bei ${event} sind fertig.`,
    read: "Notizen lesen",
    why: "Der Link gehört dir allein und gilt 90 Tage.",
  },
  invitation: {
    subject: (name) => `Einladung: ${name}`,
    invites: (workspace, event, role) => `${workspace} lädt dich zu ${event} ein. Deine Rolle: ${role}.`,
    role: (role) => ROLES[role],
    see: "Einladung ansehen",
    why: "Der Link gilt sieben Tage für alle, die ihn haben: gib ihn nicht weiter. Jemand aus diesem Arbeitsbereich hat uns deine Adresse gegeben; kennst du niemanden dort, beachte diese E-Mail nicht.",
  },
  outside: {
    pendingSubject: "Anmeldung eingegangen",
    pending: (event) =>
      `deine Anmeldung für ${event} ist angekommen. Die Veranstalter entscheiden darüber, und eine E-Mail sagt dir, wie.`,
    waitingSubject: "Warteliste",
    waiting: (event, position) =>
      `${event} ist ausgebucht. Du stehst auf der Warteliste${position === null ? "" : ` an Stelle ${position}`}. Bist du an der Reihe, bietet dir eine E-Mail einen Platz an.`,
    offeredSubject: "Ein Platz ist frei",
    offered: (event, until) =>
      `bei ${event} gibt es einen Platz für dich. ${until === null ? "" : `Du kannst ihn bis ${until} annehmen. `}Danach bekommt ihn die nächste Person.`,
    declinedSubject: "Anmeldung abgelehnt",
    declined: (event) => `die Veranstalter haben deine Anmeldung für ${event} abgelehnt.`,
    because: (reason) => `Ihre Begründung: ${reason}`,
    expiredSubject: "Dein Angebot ist abgelaufen",
    expired: (event) =>
      `der Platz bei ${event}, der für dich frei war, geht an die nächste Person. Du kannst dich wieder anmelden.`,
    again: "Wieder anmelden",
    take: "Platz annehmen",
    refuse: "Ich möchte den Platz nicht",
    see: "Deine Anmeldung ansehen",
    why: "Du bekommst diese E-Mail, weil du dich für die Veranstaltung angemeldet hast. Wenn nicht, beachte sie nicht.",
    linksAreYours: "Die Links gehören dir allein.",
  },
  notice: {
    unknownDate: "Der Termin steht noch nicht fest.",
    begins: (moment) => `Beginn: ${moment}.`,
    nowBegins: (moment) => `Neuer Beginn: ${moment}.`,
    ends: (moment) => `Geplantes Ende: ${moment}.`,
    openEnd: "Das Ende ist offen.",
    cancelledSubject: (title) => `Abgesagt: ${title}`,
    cancelled: (event, moment) =>
      moment === null ? `${event} ist abgesagt.` : `${event} ist abgesagt. Geplanter Beginn: ${moment}.`,
    because: (reason) => `Die Begründung: ${reason}`,
    reinstatedSubject: (title) => `Findet statt: ${title}`,
    reinstated: (event) => `${event} war abgesagt und findet doch statt.`,
    postponedSubject: (title) => `Verschoben: ${title}`,
    postponed: (event, moment) =>
      `${event} ist verschoben.${moment === null ? "" : ` Der Beginn am ${moment} gilt nicht mehr.`}`,
    newDate: "Der neue Termin steht noch nicht fest.",
    movedSubject: (title) => `Neuer Termin: ${title}`,
    dated: (event) => `${event} hat einen Termin.`,
    moved: (event, moment) => `${event} ist verlegt. Bisheriger Beginn: ${moment}.`,
    changedSubject: (title) => `Geändert: ${title}`,
    changed: (event) => `${event} hat sich geändert.`,
    renamed: (event) => `Die Veranstaltung hieß ${event}.`,
    see: "Zur Veranstaltung",
    why: (isInvited) =>
      `Du bekommst diese E-Mail, weil du ${isInvited ? "zu der Veranstaltung eingeladen bist" : "dich für die Veranstaltung angemeldet hast"}.`,
    file: "Die angehängte Datei bringt deinen Kalender auf den neuesten Stand.",
    linksAreYours: "Die Links gehören dir allein.",
  },
}
