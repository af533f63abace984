/** Form fields of an event, besides its agenda. */
import type { Event, HostAbsence, Visibility } from "@gathercue/client"
import { useConsoleTexts } from "../../texts/language.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { TextField } from "../../ui/fields.tsx"
import {
  BrandingFields,
  type BrandingValues,
  brandingOf,
  brandingValuesOf,
  NO_BRANDING,
} from "../parts/branding-fields.tsx"
import { MomentField } from "../parts/moment-field.tsx"
import { NumberField } from "../parts/number-field.tsx"
import { AdmissionFields } from "./admission-fields.tsx"

export type EventValues = Pick<
  Event,
  | "title"
  | "type"
  | "visibility"
  | "scheduledAt"
  | "scheduledEndAt"
  | "timeZone"
  | "location"
  | "language"
  | "coverUrl"
  | "allowAnonymousQuestions"
  | "allowAnonymousVoting"
  | "reminders"
  | "hostAbsence"
  | "history"
  | "capacity"
  | "approval"
  | "waitingList"
> & {
  readonly description: string
  readonly branding: BrandingValues
  /** Own words in emails; empty for none. */
  readonly confirmationText: string
  readonly reminderText: string
  /** Minutes before the start, as they were typed; empty for the server's own times. */
  readonly reminderTimes: string
}

/** Numbers in a text; other characters separate them. */
const numbersIn = (text: string): ReadonlyArray<number> => (text.match(/\d+/g) ?? []).map(Number)

export const NEW_EVENT_VALUES: EventValues = {
  title: "",
  type: "webinar",
  visibility: "unlisted",
  scheduledAt: null,
  scheduledEndAt: null,
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  location: null,
  language: null,
  coverUrl: null,
  branding: NO_BRANDING,
  allowAnonymousQuestions: false,
  allowAnonymousVoting: false,
  reminders: true,
  reminderTimes: "",
  hostAbsence: { measure: "nothing", afterSeconds: 60 },
  history: "brief",
  capacity: null,
  approval: null,
  waitingList: null,
  description: "",
  confirmationText: "",
  reminderText: "",
}

/** The description of an event, which older events have in their metadata. */
const descriptionOf = ({ description, metadata }: Event): string => {
  const { description: kept } = metadata
  return description ?? (typeof kept === "string" ? kept : "")
}

const emailTextsOf = (confirmation: string | null, reminder: string | null) =>
  confirmation === null && reminder === null ? null : { confirmation, reminder }

/** The values as the API takes them. */
export const settingsOf = ({
  description,
  location,
  timeZone,
  coverUrl,
  branding,
  confirmationText,
  reminderText,
  reminderTimes,
  ...others
}: EventValues) => ({
  ...others,
  coverUrl: coverUrl?.trim() || null,
  branding: brandingOf(branding),
  emailTexts: emailTextsOf(confirmationText.trim() || null, reminderText.trim() || null),
  reminderMinutes: reminderTimes.trim() === "" ? null : numbersIn(reminderTimes),
  description: description.trim() || null,
  location: location?.trim() || null,
  timeZone: timeZone?.trim() || null,
})

export const valuesOf = (event: Event): EventValues => ({
  title: event.title,
  type: event.type,
  visibility: event.visibility,
  scheduledAt: event.scheduledAt,
  scheduledEndAt: event.scheduledEndAt,
  timeZone: event.timeZone,
  location: event.location,
  language: event.language,
  coverUrl: event.coverUrl,
  branding: brandingValuesOf(event.branding),
  allowAnonymousQuestions: event.allowAnonymousQuestions,
  allowAnonymousVoting: event.allowAnonymousVoting,
  reminders: event.reminders,
  reminderTimes: (event.reminderMinutes ?? []).join(", "),
  hostAbsence: event.hostAbsence,
  history: event.history,
  capacity: event.capacity,
  approval: event.approval,
  waitingList: event.waitingList,
  description: descriptionOf(event),
  confirmationText: event.emailTexts?.confirmation ?? "",
  reminderText: event.emailTexts?.reminder ?? "",
})

/** Names of the fields. */
export const EVENT_FIELDS = [
  "title",
  "description",
  "location",
  "coverUrl",
  "branding.accent",
  "branding.logoUrl",
  "type",
  "scheduledAt",
  "scheduledEndAt",
  "timeZone",
  "capacity",
  "hostAbsence.afterSeconds",
  "waitingList.offerHours",
  "reminderMinutes",
  "emailTexts.confirmation",
  "emailTexts.reminder",
] as const

const MEASURES: ReadonlyArray<HostAbsence["measure"]> = ["nothing", "slowChat", "locked", "lobbyClosed"]

const LANGUAGES = ["none", "en", "de"] as const

const VISIBILITIES: ReadonlyArray<Visibility> = ["public", "unlisted", "private"]

export const EventFields = ({
  values,
  onChange,
  autoFocus = false,
}: {
  readonly values: EventValues
  /** The change gets the newest values: a field that loses the focus to a checkbox changes them in the same moment. */
  readonly onChange: (change: (values: EventValues) => EventValues) => void
  readonly autoFocus?: boolean
}) => {
  const { host } = useConsoleTexts()
  const set = (part: Partial<EventValues>) => onChange((newest) => ({ ...newest, ...part }))
  return (
    <>
      <TextField
        name="title"
        label={host.title}
        value={values.title}
        onChange={(title) => set({ title })}
        autoFocus={autoFocus}
        isRequired
        maxLength={300}
      />
      <TextField
        name="description"
        label={host.description}
        hint={host.markdownHint}
        lines={3}
        value={values.description}
        onChange={(description) => set({ description })}
      />
      <TextField
        name="location"
        label={host.location}
        value={values.location ?? ""}
        onChange={(location) => set({ location })}
        maxLength={300}
      />
      <TextField
        name="coverUrl"
        label={host.coverUrl}
        hint={host.coverUrlHint}
        value={values.coverUrl ?? ""}
        onChange={(coverUrl) => set({ coverUrl })}
        maxLength={2048}
      />
      <fieldset className="branding stack">
        <legend>{host.branding.title}</legend>
        <BrandingFields
          path="branding"
          ofEvent
          values={values.branding}
          onChange={(part) => onChange((newest) => ({ ...newest, branding: { ...newest.branding, ...part } }))}
        />
      </fieldset>
      <div className="split">
        <TextField
          name="type"
          label={host.type}
          hint={host.typeHint}
          value={values.type}
          onChange={(type) => set({ type })}
          isRequired
          maxLength={80}
        />
        <Choice
          label={host.visibility}
          options={VISIBILITIES.map((one) => [one, host.visibilities[one]] as const)}
          value={values.visibility}
          onChange={(visibility) => set({ visibility })}
        />
        <MomentField
          name="scheduledAt"
          label={host.begins}
          value={values.scheduledAt}
          onChange={(scheduledAt) => set({ scheduledAt })}
        />
        <MomentField
          name="scheduledEndAt"
          label={host.ends}
          value={values.scheduledEndAt}
          onChange={(scheduledEndAt) => set({ scheduledEndAt })}
        />
        <TextField
          name="timeZone"
          label={host.timeZone}
          hint={host.timeZoneHint}
          value={values.timeZone ?? ""}
          onChange={(timeZone) => set({ timeZone })}
          maxLength={64}
        />
        <Choice
          label={host.languageOfEvent}
          options={LANGUAGES.map((one) => [one, host.languages[one]] as const)}
          value={values.language ?? "none"}
          onChange={(language) => set({ language: language === "none" ? null : language })}
        />
        <NumberField
          name="capacity"
          label={host.places}
          hint={host.placesDefault}
          minimum={1}
          maximum={100_000}
          value={values.capacity ?? undefined}
          onChange={(capacity) => set({ capacity: capacity ?? null })}
        />
      </div>
      <AdmissionFields values={values} onChange={set} />
      <CheckField isSelected={values.reminders} onChange={(reminders) => set({ reminders })}>
        {host.reminders}
      </CheckField>
      {values.reminders ? (
        <TextField
          name="reminderMinutes"
          label={host.reminderTimes}
          hint={host.reminderTimesHint}
          value={values.reminderTimes}
          onChange={(reminderTimes) => set({ reminderTimes })}
          maxLength={40}
        />
      ) : null}
      <TextField
        name="emailTexts.confirmation"
        label={host.confirmationText}
        hint={host.markdownHint}
        lines={2}
        value={values.confirmationText}
        onChange={(confirmationText) => set({ confirmationText })}
        maxLength={4000}
      />
      {values.reminders ? (
        <TextField
          name="emailTexts.reminder"
          label={host.reminderText}
          hint={host.markdownHint}
          lines={2}
          value={values.reminderText}
          onChange={(reminderText) => set({ reminderText })}
          maxLength={4000}
        />
      ) : null}
      <CheckField
        isSelected={values.history === "kept"}
        onChange={(isKept) => set({ history: isKept ? "kept" : "brief" })}
      >
        {host.keepHistory}
      </CheckField>
      <CheckField
        isSelected={values.allowAnonymousQuestions}
        onChange={(allowAnonymousQuestions) => set({ allowAnonymousQuestions })}
      >
        {host.anonymousQuestions}
      </CheckField>
      <CheckField
        isSelected={values.allowAnonymousVoting}
        onChange={(allowAnonymousVoting) => set({ allowAnonymousVoting })}
      >
        {host.anonymousVoting}
      </CheckField>
      <div className="split">
        <Choice
          label={host.hostAbsence}
          options={MEASURES.map((one) => [one, host.hostAbsences[one]] as const)}
          value={values.hostAbsence.measure}
          onChange={(measure) => set({ hostAbsence: { ...values.hostAbsence, measure } })}
        />
        {values.hostAbsence.measure === "nothing" ? null : (
          <NumberField
            name="hostAbsence.afterSeconds"
            label={host.hostAbsenceAfter}
            minimum={0}
            maximum={3600}
            value={values.hostAbsence.afterSeconds}
            onChange={(afterSeconds = values.hostAbsence.afterSeconds) =>
              set({ hostAbsence: { ...values.hostAbsence, afterSeconds } })
            }
          />
        )}
      </div>
    </>
  )
}
