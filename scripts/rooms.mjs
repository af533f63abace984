/** The rooms of the code, and what each may import. The check of imports and the picture in ARCHITECTURE.md are made of this table. */

/** Parts that every other part may import. Among themselves they import what MAY_IMPORT says. */
export const KERNEL = ["clock", "model", "config", "telemetry", "egress", "crypto"]

/** Parts by folder, or by file name for files of src/ itself, and the parts that each may import beside itself and the kernel. */
export const MAY_IMPORT = {
  clock: [],
  // Without input and output: of the kernel nothing but itself.
  model: [],
  config: ["model", "crypto"],
  telemetry: ["model"],
  egress: ["model", "telemetry", "clock"],
  crypto: [],
  protocol: [],
  store: [],
  mail: ["store"],
  help: [],
  // The process of its own beside the server: it has nothing but itself.
  sfu: [],
  media: ["sfu", "store"],
  identity: ["store"],
  actors: ["protocol", "store"],
  erasure: ["actors", "store"],
  cluster: ["actors", "identity", "media", "store"],
  workers: ["cluster", "store"],
  webhooks: ["store"],
  "http/contract": ["protocol"],
  http: [
    "certificates",
    "http/contract",
    "protocol",
    "store",
    "identity",
    "mail",
    "help",
    "actors",
    "media",
    "erasure",
    "webhooks",
    "gateway",
  ],
  gateway: ["protocol", "store", "identity", "actors", "media"],
  // Published: it runs in a browser or in another service, and has nothing but itself.
  client: [],
  // The composition root: everything.
  main: ["*"],
  certificates: ["engine"],
  cli: ["certificates", "store", "cluster", "mail", "media", "protocol", "webhooks"],
  app: ["*"],
  engine: [],
}
