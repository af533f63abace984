/**
 * The rules about imports in src/: which room may import which, which file may use which engine, at most twelve files of ours in
 * one file, and no cycles, types included. Lists every breach and exits 1. An argument names another root than the project's.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

const [root = fileURLToPath(new URL("..", import.meta.url))] = process.argv.slice(2)

/** Rooms that every other room may import. */
const KERNEL = ["model", "config", "telemetry", "egress", "secret-key"]

/** Rooms by folder, or by file name for files of src/ itself, and the rooms that each may import beside itself and the kernel. */
const MAY_IMPORT = {
  model: [],
  config: [],
  telemetry: [],
  egress: [],
  "secret-key": [],
  protocol: [],
  store: [],
  mail: ["store"],
  help: [],
  media: [],
  identity: ["store"],
  actors: ["protocol", "store"],
  webhooks: ["store"],
  "http/contract": ["protocol"],
  http: ["http/contract", "protocol", "store", "identity", "mail", "help", "actors"],
  gateway: ["protocol", "store", "identity", "actors", "media"],
  // Published: it runs in a browser or in another service.
  client: ["http/contract", "protocol"],
  // The composition root: everything.
  main: ["*"],
  run: ["*"],
  server: ["*"],
}

/** Engines, and the files or folders of src/ that may use each. */
const ENGINES = [
  { packages: /^xstate$|^effect\/cluster/, users: ["actors/"] },
  { packages: /^postgres$/, users: ["store/"] },
  { packages: /^uWebSockets\.js$/, users: ["http/transport/uws-http.ts", "gateway/transport/uws-socket.ts", "main.ts"] },
]

const MAX_OWN_IMPORTS = 12
/** Files that bring parts together, each with its reason. */
const MAY_IMPORT_MORE = {}

const src = join(root, "src")
const files = readdirSync(src, { recursive: true })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.replaceAll("\\", "/"))

const IMPORT = /^(?:import|export)\s[^"']*?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|^import\s*["']([^"']+)["']/gm
const importsOf = (file) =>
  [...readFileSync(join(src, file), "utf8").matchAll(IMPORT)].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare)

const roomOf = (file) => {
  if (file.startsWith("http/contract/")) return "http/contract"
  const [first] = file.split("/")
  return first.replace(/\.ts$/, "")
}

const isKernel = (room) => KERNEL.includes(room)
const mayImport = (from, to) => {
  const allowed = MAY_IMPORT[from] ?? []
  return from === to || allowed.includes("*") || allowed.includes(to) || isKernel(to)
}

const breaches = []
const own = new Map()
for (const file of files) {
  const room = roomOf(file)
  if (MAY_IMPORT[room] === undefined) breaches.push(`src/${file}: the room "${room}" is not in scripts/check-imports.mjs`)
  const specifiers = importsOf(file)
  const targets = new Set(
    specifiers.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(file), name)).replaceAll("\\", "/")),
  )
  own.set(file, targets)
  for (const target of targets) {
    if (target.endsWith(".ts") && !mayImport(room, roomOf(target))) {
      breaches.push(`src/${file} imports src/${target}: ${room} may import ${(MAY_IMPORT[room] ?? []).join(", ") || "no other room"} and the kernel (${KERNEL.join(", ")})`)
    }
  }
  for (const { packages, users } of ENGINES) {
    const used = specifiers.find((name) => packages.test(name))
    if (used !== undefined && !users.some((user) => file === user || (user.endsWith("/") && file.startsWith(user)))) {
      breaches.push(`src/${file} imports ${used}: only ${users.map((user) => `src/${user}`).join(", ")} may`)
    }
  }
  const most = MAY_IMPORT_MORE[file] === undefined ? MAX_OWN_IMPORTS : Number.POSITIVE_INFINITY
  if (targets.size > most) breaches.push(`src/${file}: ${targets.size} imports of our own, at most ${most}`)
}

/** Tarjan's strongly connected components; one of more than one file is a cycle. */
const cycles = () => {
  const found = []
  const index = new Map()
  const low = new Map()
  const stack = []
  const visit = (file) => {
    index.set(file, index.size)
    low.set(file, index.get(file))
    stack.push(file)
    for (const target of own.get(file) ?? []) {
      if (!own.has(target)) continue
      if (!index.has(target)) {
        visit(target)
        low.set(file, Math.min(low.get(file), low.get(target)))
      } else if (stack.includes(target)) low.set(file, Math.min(low.get(file), index.get(target)))
    }
    if (low.get(file) !== index.get(file)) return
    const component = stack.splice(stack.indexOf(file))
    if (component.length > 1 || own.get(file).has(file)) found.push(component)
  }
  for (const file of files) if (!index.has(file)) visit(file)
  return found
}

for (const cycle of cycles()) breaches.push(`a cycle of imports: ${cycle.map((file) => `src/${file}`).join(", ")}`)
for (const breach of breaches) console.error(breach)
if (breaches.length > 0) process.exit(1)
console.log(`${files.length} files of src/ import what they may`)
