/** The pages of documentation that the server shows, in the order of its menu. Each page is one Markdown file of the repository. */

/** A page under `docs/`: its name in addresses is that of its file unless another one is given. */
const page = (file, title, about, name = file.slice(file.lastIndexOf("/") + 1)) => ({
  name,
  title,
  about,
  file: `docs/${file}.md`,
})
const internal = (file, title, about) => page(`internals/${file}`, title, about, `internals-${file}`)

export const SECTIONS = [
  { title: "Start", pages: [page("start", "Start", "Install a server and run the first live event.")] },
  { title: "Concepts", pages: [page("concepts", "Concepts", "Workspaces, events, phases, roles and streams.")] },
  {
    title: "Guides for hosts",
    pages: [
      page("host", "Run an event", "The console, the attendee's page, the projector and the people in the room."),
    ],
  },
  {
    title: "Guides for integrators",
    pages: [
      page("people", "Let people in", "Your users, registration, invites, join codes and guests of partners."),
      page("questions", "Questions from the audience", "Ask, vote, moderate and answer over REST."),
      page("calls", "Calls", "Sound and picture between browsers or on a media server."),
      page("broadcasts", "Broadcasts", "Encoders, the browser's camera, playback and CDNs."),
      page("recordings", "Recordings", "Uploads, clips, transcripts and storage in S3."),
      page("embedding", "Embed the attendee's page", "The page in a frame of your site, and its messages."),
      page("reports", "Reports and personal data", "Lists after an event, export and erasure of a person."),
      page("workspaces", "Workspaces", "Members, keys, links, roles and the audit log."),
      page(
        "agents",
        "Let an agent host",
        "Tools for agents by the Model Context Protocol, read-only unless you say so.",
      ),
      page("webhooks", "Webhooks", "Verify, retry, read and repeat deliveries."),
    ],
  },
  {
    title: "Guides for operators",
    pages: [
      page("operation", "Operation", "Run a server in production: settings, users of the database, TLS, the command."),
      page("backups", "Backups and upgrades", "Back up, restore, rehearse a restore, upgrade and go back."),
      page("monitoring", "Monitoring", "Logs, probes, metrics, service levels and traces."),
      page("scaling", "Scaling", "Workers and nodes: set them up, upgrade them, and what they promise."),
      page("sizing", "Sizing", "What a deployment of some size needs."),
      page("security", "Security", "Credentials, limits, the network and what you must do yourself."),
      page("reliability", "Reliability", "The promises when something fails, and how they are tested."),
    ],
  },
  {
    title: "Guides for client developers",
    pages: [
      page("clients", "The client", "The TypeScript client, its state, commands and React hooks."),
      page(
        "gateway-tutorial",
        "Ten minutes with the gateway",
        "The frames of a whole session, beside the client's code.",
      ),
      page("gateway", "The gateway", "The WebSocket protocol: connect, follow, command and resume."),
      page("gateway-activities", "Activities of the gateway", "Lobby, chat, polls, rooms and captions in detail."),
      page("gateway-calls", "Calls over the gateway", "The signals between browsers, for authors of clients."),
    ],
  },
  {
    title: "Reference",
    pages: [
      page("rest", "REST", "Conventions: credentials, pages, errors, repeats, versions."),
      page("reference/errors", "Errors", "Codes of REST, refusals of commands and close codes."),
      page("reference/commands", "Commands", "Each command of the gateway with its data and roles."),
      page("reference/dispatches", "Dispatches", "Each dispatch of the gateway with its stream and data."),
      page("reference/objects", "Objects", "The objects in commands and dispatches."),
      page("reference/webhook-types", "Webhook types", "Each type of delivery with its fields."),
      page("reference/configuration", "Configuration", "Keys for the server, its people, limits and logs."),
      page("reference/configuration-media", "Configuration: media", "Keys for calls, broadcasts, recordings and S3."),
      page(
        "reference/configuration-data",
        "Configuration: data and nodes",
        "Keys for the database, backups, nodes and workers.",
      ),
    ],
  },
  {
    title: "Internals",
    pages: [
      {
        name: "architecture",
        title: "Architecture",
        about: "One command, one request, one dispatch.",
        file: "ARCHITECTURE.md",
      },
      internal("words", "Words", "One meaning for each word of the source."),
      internal("machine", "Machine", "The statechart of a live event."),
      internal("actors", "Actors", "Activities, inbox, commit and ownership of a live event."),
      internal("cluster", "Cluster", "Several nodes and workers on one database."),
      internal("database", "Database", "Connections, deadlines, commits and idempotency."),
      internal("gateway", "Gateway", "Connections, streams, replay and presence."),
      internal("grants", "Grants", "How rights and links end with what they rest on."),
      internal("limits", "Limits", "What unknown callers may cost."),
      internal("media", "Media", "Uploads, jobs, recordings and clips."),
      internal("broadcasts", "Broadcasts", "The way of a picture from the encoder to the viewer."),
      internal("calls", "Calls", "Calls between browsers, and seats on a media server."),
      internal("outgoing", "Webhooks and email", "The outbox, deliveries and emails."),
      internal("contract", "Contract", "What descriptions, clients and errors are derived from."),
      internal("web", "Web", "The pages for attendees, hosts and operators."),
      internal("personal-data", "Personal data", "Each column about people, and its erasure."),
      internal("erasure", "Erasure", "How people and workspaces are erased."),
      internal("growth", "Growth", "Each table, what it grows with, and its sweep."),
    ],
  },
]

export const PAGES = SECTIONS.flatMap(({ pages }) => pages)

/** The anchor of a heading, as code hosts make it. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")
