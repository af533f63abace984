/** I5: a timer elapses once, and none that is due is left running. */
import type { Check } from "./inspection.ts"

type Elapsed = { readonly timer: { readonly id: string; readonly endsAt: string } }

export const checkTimers: Check = async ({ sql, ledger, streams }) => {
  const seen = new Set<string>()
  for (const { eventId, d } of streams.elapsed) {
    const { timer } = d as Elapsed
    const key = `${eventId} ${timer.id} ${timer.endsAt}`
    if (seen.has(key)) ledger.violate("I5", "a timer elapsed twice")
    seen.add(key)
  }
  ledger.count("timers that elapsed", seen.size)
  const overdue = await sql<{ what: string }[]>`
    select 'a poll' as what from live_records where kind = 'poll' and body->>'status' = 'open'
       and (body->>'endsAt')::timestamptz < now() - interval '10 seconds'
    union all
    select 'a round' from live_records where kind = 'rotation' and body->>'status' in ('round', 'break')
       and (body->>'endsAt')::timestamptz < now() - interval '10 seconds'
    union all
    select 'a phase' from phases p join events e on e.id = p.event_id and e.status = 'live'
     where p.status = 'active' and not p.timer_elapsed and p.timer_ends_at < now() - interval '10 seconds'`
  for (const { what } of overdue) ledger.violate("I5", `${what} is overdue and its timer has not elapsed`)
}
