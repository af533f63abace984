import { expect, test } from "vitest"
import { natsOptions } from "../../src/cluster/link/nats-link.ts"

test.each([
  ["nats://one:4222", { servers: ["one:4222"] }],
  ["nats://one:4222, nats://two:4223", { servers: ["one:4222", "two:4223"] }],
  ["nats://ada:p%40ss@one:4222,nats://two:4222", { servers: ["one:4222", "two:4222"], user: "ada", pass: "p@ss" }],
  ["nats://t0ken@one:4222", { servers: ["one:4222"], token: "t0ken" }],
  ["tls://one:4222", { servers: ["one:4222"], tls: {} }],
])("%s", (urls, options) => {
  expect(natsOptions(urls)).toEqual(options)
})
