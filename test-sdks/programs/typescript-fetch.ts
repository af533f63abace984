import {
  Configuration,
  type Event,
  EventsApi,
  PublicEventsApi,
  ReportsApi,
  ResponseError,
  WebhooksApi,
} from "./client/index.js"

declare const process: { readonly argv: ReadonlyArray<string> }
const [, , basePath = "", key = ""] = process.argv
const configuration = new Configuration({ basePath, headers: { "x-api-key": key } })
const events = new EventsApi(configuration)

const event: Event = await events.createEvent({
  eventInput: {
    type: "webinar",
    title: "Generated",
    visibility: "public",
    phases: [{ modality: "meeting", config: { durationSeconds: 600 } }],
  },
})
const id: string = event.id
const published = await events.publishEvent({ id })
const page = await events.listEvents({ limit: 2 })
const registerInput = { name: "Ada", email: "ada@example.com" }
const taken = await new PublicEventsApi(configuration).register({ id, registerInput })
const reports = new ReportsApi(configuration)
const attended = await reports.listAttendance({ id })
const registered = await reports.listRegistrations({ id })

const webhooks = new WebhooksApi(configuration)
const hook = await webhooks.createWebhook({ createWebhookInput: { url: "http://127.0.0.1:9/hook" } })
const ping = await webhooks.pingWebhook({ id: hook.id })
const delivery = await webhooks.getWebhookDelivery({ id: ping.id })
const sent = delivery.body
if (sent?.type !== "ping") throw new Error("a ping was due")

const missing = await events.getEvent({ id: "0196a1f0-0000-7000-8000-000000000007" }).then(
  () => "found",
  async (cause: unknown) => {
    if (!(cause instanceof ResponseError)) throw cause
    return ((await cause.response.json()) as { readonly code: string }).code
  },
)
console.log(
  [
    page.events[0]?.title,
    published.status,
    published.phases[0]?.config.durationSeconds,
    taken.registered,
    attended.attendees.length,
    registered.registrations[0]?.name,
    sent.webhookId === hook.id,
    missing,
  ].join(" "),
)
