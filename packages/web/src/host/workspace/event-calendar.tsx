/** Events of a month, each on its day in the reader's time zone. */
import type { EventWithPhases } from "@gathercue/client"
import { ChevronLeft, ChevronRight } from "lucide-react"
import { useState } from "react"
import { usePages } from "../../api/use-pages.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts, useFormats, useLanguage } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { IconButton } from "../../ui/icon-button.tsx"
import { EventStatus } from "../parts/event-status.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { Paged } from "../parts/paged.tsx"

const PER_PAGE = 100
const WEEK = 7

const monthOf = (date: Date, more = 0): Date => new Date(date.getFullYear(), date.getMonth() + more, 1)

/** First day of a week, where 0 is Sunday; Monday in browsers that do not know it. */
const firstDayIn = (language: string): number => {
  const locale = new Intl.Locale(language) as Intl.Locale & { getWeekInfo?: () => { readonly firstDay: number } }
  return (locale.getWeekInfo?.().firstDay ?? 1) % WEEK
}

/** Weeks that have days of the month. */
const weeksOf = (month: Date, firstDay: number): ReadonlyArray<ReadonlyArray<Date>> => {
  const before = (month.getDay() - firstDay + WEEK) % WEEK
  const days = new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate()
  return Array.from({ length: Math.ceil((before + days) / WEEK) }, (_week, week) =>
    Array.from(
      { length: WEEK },
      (_day, day) => new Date(month.getFullYear(), month.getMonth(), 1 - before + week * WEEK + day),
    ),
  )
}

/** A day as HTML writes it, such as 2026-05-01. */
const toDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-")

const isSameDay = (a: Date, b: Date): boolean => toDay(a) === toDay(b)

type Dated = Pick<EventWithPhases, "id" | "title" | "status" | "scheduledAt" | "cancelledAt">

const Month = ({ month, events }: { readonly month: Date; readonly events: ReadonlyArray<Dated> }) => {
  const language = useLanguage()
  const { time } = useFormats()
  const weeks = weeksOf(month, firstDayIn(language))
  const name = (date: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, options).format(date)
  const on = (day: Date) =>
    events
      .flatMap(({ scheduledAt, ...event }) => (scheduledAt === null ? [] : [{ ...event, at: scheduledAt }]))
      .filter(({ at }) => isSameDay(new Date(at), day))
      .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return (
    <table className="calendar" aria-label={name(month, { month: "long", year: "numeric" })}>
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day.getDay()} scope="col">
              <span aria-hidden>{name(day, { weekday: "short" })}</span>
              <span className="visually-hidden">{name(day, { weekday: "long" })}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]?.getTime()}>
            {week.map((day) => {
              const isOther = day.getMonth() !== month.getMonth()
              const found = isOther ? [] : on(day)
              return (
                <td
                  key={day.getTime()}
                  className={isOther ? "calendar-other" : undefined}
                  data-empty={found.length === 0}
                  {...(isSameDay(day, new Date()) ? { "aria-current": "date" as const } : {})}
                >
                  <time className="calendar-day" dateTime={toDay(day)}>
                    <span className="calendar-weekday">{name(day, { weekday: "short" })} </span>
                    {day.getDate()}
                  </time>
                  <ul>
                    {found.map(({ id, title, at, status, cancelledAt }) => (
                      <li key={id}>
                        <span className="quiet">{time(at)}</span> <PageLink to={`/event/${id}`}>{title}</PageLink>{" "}
                        {status === "scheduled" && cancelledAt === null ? null : (
                          <EventStatus status={status} isCancelled={cancelledAt !== null} />
                        )}
                      </li>
                    ))}
                  </ul>
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export const EventCalendar = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const language = useLanguage()
  const [month, turn] = useState(() => monthOf(new Date()))
  const [from, to] = [month, monthOf(month, 1)].map((date) => date.toISOString())
  const pages = usePages(JSON.stringify([workspaceId, from]), "events", (at) =>
    restOf(workspaceId).listEvents({
      query: { limit: PER_PAGE, ...(from === undefined || to === undefined ? {} : { from, to }), ...at },
    }),
  )
  return (
    <>
      <div className="row">
        <IconButton label={host.monthBefore} onPress={() => turn(monthOf(month, -1))}>
          <ChevronLeft />
        </IconButton>
        <h3 className="calendar-month">
          <span role="status">
            {new Intl.DateTimeFormat(language, { month: "long", year: "numeric" }).format(month)}
          </span>
        </h3>
        <IconButton label={host.monthAfter} onPress={() => turn(monthOf(month, 1))}>
          <ChevronRight />
        </IconButton>
        <Button onPress={() => turn(monthOf(new Date()))}>{host.today}</Button>
      </div>
      <Month month={month} events={pages.items ?? []} />
      <Paged pages={pages} empty={host.noEventsInMonth}>
        {() => null}
      </Paged>
    </>
  )
}
