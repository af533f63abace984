/** English texts of emails about events. Titles, names and times come ready for their place in a sentence or a subject. */
import type { EventRole } from "../../model/roles.ts"

export const en = {
  /** These words replace a title or a name without a visible character. */
  anEvent: "an event",
  aWorkspace: "A workspace",
  hello: (name: string | null) => `Hello ${name ?? "there"},`,
  quoted: (title: string) => `"${title}"`,
  enter: "Enter the event",
  leave: "I cannot come",
  refuseInvitations: "No more invitations from this workspace",
  refuseReminders: "No more reminders from this workspace",
  refuseThanks: "No more emails after events of this workspace",
  refuseNotes: "No more notes of tables from this workspace",

  entry: {
    subject: (title: string) => `Your place at ${title}`,
    registered: (event: string) => `you are registered for ${event}.`,
    registeredFor: (event: string, moment: string) => `you are registered for ${event}, which begins on ${moment}.`,
    answers: "See and change your answers",
    why: "The links are yours alone and work until a day after the event. If you did not register, ignore this email.",
  },
  series: {
    subject: (title: string) => `Your places at ${title}`,
    registered: (event: string, places: number) =>
      `you are registered for ${event}, ${places === 1 ? "one event" : `${places} events`}. Each has a link of its own.`,
    noPlace: (moment: string) => `${moment} (without a place so far)`,
    calendar: "All of them for your calendar",
    why: "The links are yours alone; each works until a day after its event. If you did not register, ignore this email.",
  },
  reminder: {
    subject: (title: string, isSoon: boolean) => `${isSoon ? "Starting soon" : "Reminder"}: ${title}`,
    begins: (event: string, moment: string, isSoon: boolean) =>
      `${event} begins ${isSoon ? "soon: " : ""}on ${moment}.`,
    why: "You get this email because you registered for the event. The links are yours alone and work until a day after the event.",
  },
  thanks: {
    subject: (title: string, wasThere: boolean) => `${wasThere ? "Thank you for coming to" : "You missed"} ${title}`,
    wasThere: (event: string) => `thank you for coming to ${event}.`,
    missed: (event: string) => `you were registered for ${event}, which is over. What is kept of it is on its page.`,
    questions: "The organisers have a few questions for you.",
    answer: "Answer the survey",
    page: "See the event's page",
    why: (wasThere: boolean) => `You get this email because you ${wasThere ? "were at" : "registered for"} the event.`,
  },
  notes: {
    subject: (title: string) => `Notes of your table at ${title}`,
    ready: (event: string) => `the notes of your table at ${event} are ready.`,
    read: "Read the notes",
    why: "The link is yours alone and works for 90 days.",
  },
  invitation: {
    subject: (name: string) => `You are invited to ${name}`,
    invites: (workspace: string, event: string, role: string) => `${workspace} invites you to ${event} as ${role}.`,
    role: (role: EventRole): string => role,
    see: "See the invitation",
    why: "The link works for seven days, for anyone who holds it: do not pass it on. Somebody in that workspace gave us your address; if you do not know them, ignore this email.",
  },
  outside: {
    pendingSubject: "Registration received",
    pending: (event: string) =>
      `your registration for ${event} has arrived. The organisers decide about it, and an email tells you what.`,
    waitingSubject: "Waiting list",
    waiting: (event: string, position: number | null) =>
      `${event} is full, and you are ${position === null ? "on" : `number ${position} of`} the waiting list. When it is your turn, an email offers you a place.`,
    offeredSubject: "A place is free",
    offered: (event: string, until: string | null) =>
      `there is a place for you at ${event}. ${until === null ? "" : `It is yours if you take it by ${until}. `}Afterwards it is offered to the next person.`,
    declinedSubject: "Registration declined",
    declined: (event: string) => `the organisers have declined your registration for ${event}.`,
    because: (reason: string) => `They say why: ${reason}`,
    expiredSubject: "Your offer is over",
    expired: (event: string) =>
      `the place at ${event} that was free for you is offered to the next person. You may register again.`,
    again: "Register again",
    take: "Take the place",
    refuse: "I do not want the place",
    see: "See your registration",
    why: "You get this email because you registered for the event. If you did not, ignore it.",
    linksAreYours: "The links are yours alone.",
  },
  notice: {
    unknownDate: "The date is not known yet.",
    begins: (moment: string) => `It begins on ${moment}.`,
    nowBegins: (moment: string) => `It now begins on ${moment}.`,
    ends: (moment: string) => `It is planned to end on ${moment}.`,
    openEnd: "Its end is open.",
    cancelledSubject: (title: string) => `Cancelled: ${title}`,
    cancelled: (event: string, moment: string | null) =>
      moment === null ? `${event} is cancelled.` : `${event}, which was to begin on ${moment}, is cancelled.`,
    because: (reason: string) => `The organiser says why: ${reason}`,
    reinstatedSubject: (title: string) => `Takes place: ${title}`,
    reinstated: (event: string) => `${event} was cancelled, and takes place after all.`,
    postponedSubject: (title: string) => `Postponed: ${title}`,
    postponed: (event: string, moment: string | null) =>
      `${event} is postponed, and does not begin${moment === null ? "" : ` on ${moment}`}.`,
    newDate: "The new date is not known yet.",
    movedSubject: (title: string) => `New date: ${title}`,
    dated: (event: string) => `${event} has a date.`,
    moved: (event: string, moment: string) => `${event} was moved. It was to begin on ${moment}.`,
    changedSubject: (title: string) => `Changed: ${title}`,
    changed: (event: string) => `${event} has changed.`,
    renamed: (event: string) => `It was called ${event}.`,
    see: "See the event",
    why: (isInvited: boolean) =>
      `You get this email because you ${isInvited ? "are invited to" : "registered for"} the event.`,
    file: "The attached file brings your calendar up to date.",
    linksAreYours: "The links are yours alone.",
  },
}

export type Words = typeof en
