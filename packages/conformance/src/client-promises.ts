/** The promises of every client of the gateway, each with the sentence of the documentation that asks for it. */
export const CLIENT_PROMISES = {
  resume: {
    sentence: "After a lost connection identify with `resume: {epoch, cursors: {event: 118, staff: 3}}`.",
    source: "docs/gateway.md#resume",
  },
  replay: {
    sentence: "Drop a dispatch whose `s` is at most the last one, because you have it already.",
    source: "docs/gateway.md#follow",
  },
  order: {
    sentence: "Frames are JSON text: either side sends one object, or several in an array.",
    source: "docs/gateway.md",
  },
  gap: {
    sentence: "A larger number than the next one means that a dispatch is missing: send `sync`.",
    source: "docs/gateway.md#follow",
  },
  drain: { sentence: "After `op 7` wait `afterMs`.", source: "docs/gateway.md#when-a-connection-ends" },
  closes: {
    sentence: "The first two digits name the next step: 40xx resume now, after a short random wait;",
    source: "docs/gateway.md#when-a-connection-ends",
  },
  waits: {
    sentence: "Wait a random part of two seconds first, then use full jitter up to thirty.",
    source: "docs/gateway.md#when-a-connection-ends",
  },
  heartbeats: {
    sentence: "Without an answer within 5 s the connection is lost: close it and resume on another one.",
    source: "docs/gateway.md#connect",
  },
  tokens: {
    sentence: "After `tokenExpiring` send a new token within a minute.",
    source: "docs/gateway.md#connect",
  },
  commands: {
    sentence: "After a reconnect send an unanswered command again under the same id: it is executed once.",
    source: "docs/gateway.md#commands",
  },
  budgets: {
    sentence: "| commands of a participant | 10 a second, burst 30; staff five times as many |",
    source: "docs/gateway.md#limits",
  },
  lobby: { sentence: "Connected; a host has to let the participant in.", source: "docs/clients.md#status" },
  stream: { sentence: "Everything else is as on a socket", source: "docs/gateway.md#without-a-websocket" },
} as const

export type ClientPromise = keyof typeof CLIENT_PROMISES
