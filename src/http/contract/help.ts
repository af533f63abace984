/** The help chat. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { named } from "../../model/named.ts"
import { EndpointAccess } from "./access.ts"
import { AddressLimit, ExactBody, Example } from "./endpoint.ts"
import { problems, WITH_BODY } from "./problem.ts"

const Text = (max: number) => Schema.String.check(Schema.isBetweenLength(1, max))

const Message = Schema.Union([
  Schema.Struct({ role: Schema.Literal("user"), text: Text(500) }).annotate(named("HelpUserMessage")),
  Schema.Struct({ role: Schema.Literal("model"), text: Text(2200) }).annotate(named("HelpModelMessage")),
]).annotate(named("HelpMessage"))

export const Help = HttpApiGroup.make("help")
  .add(
    HttpApiEndpoint.post("askHelp", "/v1/help/chat", {
      payload: Schema.Struct({
        messages: Schema.Array(Message).check(Schema.isBetweenLength(1, 8)),
        audience: Schema.optionalKey(Schema.Literals(["host", "viewer"])),
        surface: Schema.optionalKey(Schema.Literals(["room", "dashboard"])),
        eventType: Schema.optionalKey(Text(40)),
        stage: Schema.optionalKey(Schema.Literals(["prelive", "open", "live", "ended"])),
      }),
      success: Schema.Struct({ reply: Schema.String }),
      error: problems(...WITH_BODY, "rate_limited", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "helpChat")
      .annotate(ExactBody, true)
      .annotate(OpenApi.Summary, "Ask about the product; answers come from its own documentation")
      .annotate(OpenApi.Description, "The conversation so far is sent along; nothing of it is kept.")
      .annotate(Example, {
        request: { messages: [{ role: "user", text: "How do I extend the timer?" }], audience: "host", stage: "live" },
        response: { reply: "Add between 10 seconds and an hour to the timer of the active phase." },
      }),
  )
  .annotate(OpenApi.Description, "Help for hosts and viewers.")
