import createClient from "openapi-fetch"
import type { components, paths } from "./api.js"

declare const process: { readonly argv: ReadonlyArray<string> }
const [, , baseUrl = "", key = ""] = process.argv
const api = createClient<paths>({ baseUrl, headers: { "x-api-key": key } })

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error("an answer of success was due")
  return value
}
const at = (id: string) => ({ params: { path: { id } } })

const phases: components["schemas"]["PhaseInput"][] = [{ modality: "meeting", config: { durationSeconds: 600 } }]
const body = { type: "webinar", title: "Generated", visibility: "public" as const, phases }
const event: components["schemas"]["Event"] = present((await api.POST("/v1/events", { body })).data)
const published = present((await api.POST("/v1/events/{id}/publish", at(event.id))).data)
const page = present((await api.GET("/v1/events", { params: { query: { limit: 2 } } })).data)
const person = { name: "Ada", email: "ada@example.com" }
const taken = present((await api.POST("/v1/public/events/{id}/register", { ...at(event.id), body: person })).data)
const attended = present((await api.GET("/v1/events/{id}/attendance", at(event.id))).data)
const registered = present((await api.GET("/v1/events/{id}/registrations", at(event.id))).data)
if (typeof attended === "string" || typeof registered === "string") throw new Error("JSON was due")

const hook = present((await api.POST("/v1/webhooks", { body: { url: "http://127.0.0.1:9/hook" } })).data)
const ping = present((await api.POST("/v1/webhooks/{id}/ping", at(hook.id))).data)
const delivery = present((await api.GET("/v1/webhook-deliveries/{id}", at(ping.id))).data)
const sent = delivery.body
if (sent?.type !== "ping") throw new Error("a ping was due")

const missing = await api.GET("/v1/events/{id}", at("0196a1f0-0000-7000-8000-000000000007"))
const code: string = missing.error?.code ?? ""
console.log(
  [
    page.events[0]?.title,
    published.status,
    published.phases[0]?.config.durationSeconds,
    taken.registered,
    attended.attendees.length,
    registered.registrations[0]?.name,
    sent.webhookId === hook.id,
    code,
  ].join(" "),
)
