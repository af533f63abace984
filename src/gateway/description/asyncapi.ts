/**
 * Description of the gateway (AsyncAPI 3.0.0), derived from the protocol's tables. It is written from the server's side: the server
 * receives the commands of clients and sends the dispatches.
 */
import type { JsonSchema } from "effect"
import { type CommandName, commandContract } from "../../protocol/contract.ts"
import { REFUSALS } from "../../protocol/refusals.ts"
import { ADVICE, CLOSE } from "../../protocol/wire/close-codes.ts"
import {
  COMMANDS_PATH,
  GATEWAY_PATH,
  MAX_FRAME_BYTES,
  MAX_FRAME_OBJECTS,
  STREAM_PATH,
  SUBPROTOCOL,
} from "../../protocol/wire/frames.ts"
import { allowedFor } from "./allowed.ts"
import { COMMAND_MESSAGES, DISPATCH_MESSAGES, FRAMES, MESSAGES, type Message, REPLY_MESSAGES } from "./messages.ts"
import { messageSchemas } from "./schemas.ts"
import { serverOf } from "./server-address.ts"

const VERSION = "1.0.0"

const ABOUT = [
  `One socket is one participant of one event. A frame is one object or an array of objects, in both directions; a client's has at most ${MAX_FRAME_BYTES} bytes and ${MAX_FRAME_OBJECTS} objects. The messages below are those objects.`,
  "After `hello` a client sends `identify`, and is told by `ready` where it stands, or by `lobby.status` that it waits. Ordered dispatches have a stream (`st`) and a place in it (`s`) without gaps, and are replayed after a reconnect.",
  `Without a WebSocket the same messages come from \`GET ${STREAM_PATH}\` as Server-Sent Events, and are sent to \`POST ${COMMANDS_PATH}\`.`,
  "Fields and messages may be added; ignore what you do not know.",
].join("\n\n")

const CLOSING = Object.values(CLOSE)
  .map(({ code, reason, advice }) => `- ${code} ${reason}: ${ADVICE[advice]}`)
  .join("\n")

const REFUSING = Object.entries(REFUSALS)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
  .join("\n")

const messageOf = ({ key, name, says }: Message, payload: JsonSchema.JsonSchema | undefined) => ({
  // A command, its reply and a dispatch may share one `t`: their names tell them apart.
  name: key,
  title: name,
  summary: says,
  contentType: "application/json",
  payload,
})

const commandOf = (message: Message, payload: JsonSchema.JsonSchema | undefined) => {
  const name = message.name as CommandName
  const { roles, features } = allowedFor(name)
  const { revises } = commandContract(name)
  return {
    ...messageOf(message, payload),
    "x-allowed": { ...roles, features },
    "x-reply": { $ref: `#/components/messages/reply.${name}` },
    ...(revises === undefined ? {} : { "x-revision-of": revises }),
  }
}

const CHANNEL = { $ref: "#/channels/gateway" }
const inChannel = ({ key }: Message) => ({ $ref: `#/channels/gateway/messages/${key}` })

const operation = (
  action: "send" | "receive",
  summary: string,
  messages: ReadonlyArray<Message>,
  replies: ReadonlyArray<Message> = [],
) => ({
  action,
  channel: CHANNEL,
  summary,
  messages: messages.map(inChannel),
  ...(replies.length === 0 ? {} : { reply: { channel: CHANNEL, messages: replies.map(inChannel) } }),
})

const { hello, identify, heartbeat, heartbeatAck, token, tokenAccepted, refused, reconnect, error } = FRAMES
const ENTRY = DISPATCH_MESSAGES.filter(({ name }) => name === "ready" || name === "lobby.status")

const OPERATIONS = {
  greet: operation("send", "The server greets.", [hello]),
  identify: operation("receive", "A client says who it is.", [identify], ENTRY),
  heartbeat: operation(
    "receive",
    "Both sides hear that the other is there, and compare clocks.",
    [heartbeat],
    [heartbeatAck],
  ),
  renew: operation("receive", "A new token lets the socket live on.", [token], [tokenAccepted, refused, error]),
  command: operation("receive", "A participant does something.", COMMAND_MESSAGES, [...REPLY_MESSAGES, refused]),
  dispatch: operation("send", "What happened.", DISPATCH_MESSAGES),
  reconnect: operation("send", "This server is about to go.", [reconnect]),
  complain: operation("send", "Something was wrong that belongs to no command.", [error]),
}

const describe = (publicUrl: string) => {
  const { payloads, shared } = messageSchemas()
  const messages = new Map([
    ...MESSAGES.map((message) => [message.key, messageOf(message, payloads.get(message.key))] as const),
    ...COMMAND_MESSAGES.map((message) => [message.key, commandOf(message, payloads.get(message.key))] as const),
  ])
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Gathercue gateway",
      version: VERSION,
      description: ABOUT,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      gateway: {
        ...serverOf(publicUrl),
        security: [{ $ref: "#/components/securitySchemes/gatewayToken" }],
      },
    },
    channels: {
      gateway: {
        address: GATEWAY_PATH,
        description: `Subprotocol \`${SUBPROTOCOL}\`, accepted when offered.\n\nA refused command names a code and the socket stays:\n\n${REFUSING}\n\nA socket is closed with a code whose range is the instruction:\n\n${CLOSING}`,
        servers: [{ $ref: "#/servers/gateway" }],
        messages: Object.fromEntries(MESSAGES.map(({ key }) => [key, { $ref: `#/components/messages/${key}` }])),
        bindings: {
          ws: {
            method: "GET",
            headers: {
              type: "object",
              properties: { "Sec-WebSocket-Protocol": { type: "string", const: SUBPROTOCOL } },
            },
            bindingVersion: "0.1.0",
          },
        },
        "x-close-codes": Object.values(CLOSE),
      },
    },
    operations: OPERATIONS,
    components: {
      messages: Object.fromEntries(messages),
      schemas: shared,
      securitySchemes: {
        gatewayToken: {
          type: "apiKey",
          in: "password",
          description:
            "A token of `POST /v1/auth/gateway-token`, as `d.token` of the first frame (`identify`); never in the address. It opens sockets for two minutes.",
        },
      },
    },
  }
}

/** The description as JSON text, for the public address that clients use. */
export const gatewayDescription = (publicUrl: string): string => JSON.stringify(describe(publicUrl))
