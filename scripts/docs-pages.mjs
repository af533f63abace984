/**
 * The pages of documentation that the server gives to readers, in their order. Their text is that of the files that the repository has
 * anyway: some are parts of the README, by their headings.
 */
export const PAGES = [
  {
    name: "quick-start",
    title: "Quick start",
    about: "Start a server, run the first live event, let people in.",
    file: "README.md",
    part: { from: "## Start", until: "### Broadcasts" },
  },
  {
    name: "concepts",
    title: "Concepts",
    about: "Workspaces, events, phases, roles, streams.",
    file: "docs/concepts.md",
  },
  { name: "gateway", title: "The gateway", about: "The WebSocket protocol, frame by frame.", file: "docs/gateway.md" },
  {
    name: "rest",
    title: "REST",
    about: "Conventions of the API: credentials, pages, errors, repeats.",
    file: "docs/rest.md",
  },
  {
    name: "webhooks",
    title: "Webhooks",
    about: "Signed notifications: types, checks, retries, deliveries.",
    file: "README.md",
    part: { from: "## Webhooks", until: "## Configuration" },
  },
  {
    name: "media",
    title: "Sound and picture",
    about: "Broadcasts, calls between browsers, recordings, clips, transcripts.",
    file: "README.md",
    part: { from: "### Broadcasts", until: "## Join codes" },
  },
  {
    name: "reports",
    title: "Join codes and reports",
    about: "Ways in for a room full of people, and what is left of an event.",
    file: "README.md",
    part: { from: "## Join codes", until: "## Webhooks" },
  },
  {
    name: "configuration",
    title: "Configuration",
    about: "Every key of the environment.",
    file: "README.md",
    part: { from: "## Configuration", until: "## Versions" },
  },
  {
    name: "clients",
    title: "Clients",
    about: "The client for browsers and Node, its React hooks, and a page to begin with.",
    file: "docs/clients.md",
  },
  {
    name: "operation",
    title: "Operation",
    about: "Production, logs, metrics, traces, keys, backups.",
    file: "docs/operation.md",
  },
  {
    name: "scaling",
    title: "Scaling",
    about: "Several cores and machines, sizing, upgrades.",
    file: "docs/scaling.md",
  },
  {
    name: "reliability",
    title: "Reliability",
    about: "The promises, and how they are tested.",
    file: "docs/reliability.md",
  },
  {
    name: "security",
    title: "Security",
    about: "Credentials, secrets, limits, the network.",
    file: "docs/security.md",
  },
]

/** The lines from one heading to another. Both must be there. */
const partOf = (text, { from, until }) => {
  const lines = text.split("\n")
  const [first, end] = [lines.indexOf(from), lines.indexOf(until)]
  if (first < 0 || end <= first) throw new Error(`no part from "${from}" until "${until}"`)
  return lines.slice(first, end).join("\n")
}

/** The Markdown of a page, with a title of the first level. `read`: the text of a file of the repository. */
export const markdownOf = ({ title, file, part }, read) => {
  const text = read(file)
  return part === undefined ? text : `# ${title}\n\n${partOf(text, part)}`
}

/** The anchor of a heading, as code hosts make it. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")
