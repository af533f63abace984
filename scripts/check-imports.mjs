/**
 * The rules about imports in src/ and in the packages of client and pages: which part may import which, the floors of each part (`floors.mjs`), which file
 * may use which engine, at most twelve files of its own part in one file, and no cycles, types included. Lists every breach and exits 1. An argument names another root than the project's.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { parseAst } from "rolldown/parseAst"
import { FLOORS, floorOf } from "./floors.mjs"
import { KERNEL, MAY_IMPORT } from "./rooms.mjs"

const [root = fileURLToPath(new URL("..", import.meta.url))] = process.argv.slice(2)

/** Engines, and the files or folders of src/ that may use each. */
const ENGINES = [
  { packages: /^xstate(?:\/|$)/, users: ["actors/"] },
  { packages: /^effect\/(?:unstable\/)?cluster/, users: ["actors/", "cluster/"] },
  { packages: /^@nats-io\/|^@effect\/platform-node/, users: ["cluster/"] },
  { packages: /^acme-client$/, users: ["certificates/order.ts"] },
  { packages: /^postgres(?:\/|$)/, users: ["store/"] },
  {
    packages: /^uWebSockets\.js(?:-next)?(?:\/|$)/,
    users: [
      "http/transport/uws-http.ts",
      "http/transport/uws-exchange.ts",
      "gateway/transport/uws-socket.ts",
      "app/server.ts",
      "app/listening.ts",
      "app/stopping.ts",
      "engine/engine.ts",
    ],
  },
]

/** A file that imports more of its own part has more than one task. Other parts and the kernel are not counted. */
const MAX_SIBLINGS = 12
/** Files whose one task is to list the files of their part, or to wire them. */
const LISTS = [
  "actors/domain/activities/registry.ts",
  "http/contract/api.ts",
  "http/routes.ts",
  "gateway/description/schemas.ts",
  "protocol/contract.ts",
  "protocol/ready.ts",
  "../packages/client/src/entry.ts",
]

/** Files that import packages which may be missing, by a computed name: neither a compiler nor a bundler may look for them. */
const COMPUTED = ["../packages/client/src/connection/socket.ts", "store/embedded/binaries.ts"]

/** The client's files, by their names from src/ on as all files. */
const CLIENT = "../packages/client/src/"
const PAGES = "../packages/web/src/"
/** The one package that each file of the client may import: the application brings it. */
const PEERS = { "react-entry.ts": /^react$/, "react/": /^react$/ }

const src = join(root, "src")
const breaches = []
const sourcesIn = (folder) =>
  (existsSync(join(src, folder)) ? readdirSync(join(src, folder), { recursive: true }) : [])
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}${name.replaceAll("\\", "/")}`)
const files = [...sourcesIn(""), ...sourcesIn(CLIENT)]
const shown = (file) => normalize(join("src", file)).replaceAll("\\", "/")

/** Every node of a syntax tree. */
function* nodesOf(node) {
  if (typeof node !== "object" || node === null) return
  if (typeof node.type === "string") yield node
  for (const child of Object.values(node)) yield* nodesOf(child)
}

const IMPORTING = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
])
const RESOLVERS = new Set(["require", "createRequire"])

/** The specifiers of a module, types included. One that is computed, or resolved by `require`, is a breach: it cannot be checked. */
const importsOf = (file) => {
  const found = []
  for (const node of nodesOf(
    parseAst(readFileSync(join(src, file), "utf8"), { lang: file.endsWith("x") ? "tsx" : "ts" }).body,
  )) {
    if (!file.startsWith(PAGES) && node.type === "Identifier" && RESOLVERS.has(node.name)) {
      breaches.push(`${shown(file)} resolves modules by ${node.name}, which cannot be checked`)
    }
    if (!IMPORTING.has(node.type) || !node.source) continue
    if (typeof node.source.value === "string") found.push(node.source.value)
    else if (!COMPUTED.includes(file)) breaches.push(`${shown(file)} imports a computed name, which cannot be checked`)
  }
  return found
}

const partOf = (file) => {
  if (file.startsWith(CLIENT)) return "client"
  if (file.startsWith("http/contract/")) return "http/contract"
  const [first] = file.split("/")
  return first.replace(/\.ts$/, "")
}

const isKernel = (part) => KERNEL.includes(part)
const mayImport = (from, to) => {
  const allowed = MAY_IMPORT[from] ?? []
  return (
    from === to ||
    allowed.includes("*") ||
    allowed.includes(to) ||
    (isKernel(to) && !isKernel(from) && from !== "client")
  )
}

const own = new Map()
for (const file of files) {
  const part = partOf(file)
  if (MAY_IMPORT[part] === undefined)
    breaches.push(`${shown(file)}: the part "${part}" is not in scripts/check-imports.mjs`)
  const specifiers = importsOf(file)
  const targets = new Set(
    specifiers
      .filter((name) => name.startsWith("."))
      .map((name) => normalize(join(dirname(file), name)).replaceAll("\\", "/")),
  )
  own.set(file, targets)
  for (const target of targets) {
    if (!files.includes(target)) breaches.push(`${shown(file)} imports ${shown(target)}, which is no source here`)
    else if (!mayImport(part, partOf(target))) {
      breaches.push(
        `${shown(file)} imports ${shown(target)}: ${part} may import ${(MAY_IMPORT[part] ?? []).join(", ") || "no other part"} and the kernel (${KERNEL.join(", ")})`,
      )
    }
  }
  const foreign = part === "client" ? specifiers.filter((name) => !name.startsWith(".")) : []
  for (const name of foreign) {
    const inside = file.slice(CLIENT.length)
    const isPeer = Object.entries(PEERS).some(([users, packages]) => inside.startsWith(users) && packages.test(name))
    if (!isPeer) breaches.push(`${shown(file)} imports ${name}: the client has no dependencies`)
  }
  for (const { packages, users } of ENGINES) {
    const used = specifiers.find((name) => packages.test(name))
    if (used !== undefined && !users.some((user) => file === user || (user.endsWith("/") && file.startsWith(user)))) {
      breaches.push(`${shown(file)} imports ${used}: only ${users.map((user) => `${shown(user)}`).join(", ")} may`)
    }
  }
  const siblings = [...targets].filter((target) => partOf(target) === part)
  if (siblings.length > MAX_SIBLINGS && !LISTS.includes(file)) {
    breaches.push(`${shown(file)} imports ${siblings.length} files of its own part, at most ${MAX_SIBLINGS}`)
  }
}

/** The room of a file on the floors, and its path in the room. */
const placeOf = (file) => {
  const at = shown(file)
  const room = Object.keys(FLOORS).find((name) => at.startsWith(`${name}/`))
  return room === undefined ? undefined : { room, floor: floorOf(FLOORS[room], at.slice(room.length + 1)) }
}
const checkFloors = (file, targets) => {
  const from = placeOf(file)
  if (from === undefined) return
  if (from.floor === -1) breaches.push(`${shown(file)} is on no floor of ${from.room} (scripts/floors.mjs)`)
  for (const target of targets) {
    const to = placeOf(target)
    if (to?.room === from.room && to.floor > from.floor) {
      breaches.push(
        `${shown(file)} imports ${shown(target)}, which is on a higher floor of ${from.room} (scripts/floors.mjs)`,
      )
    }
  }
}
for (const [file, targets] of own) checkFloors(file, targets)

/** The pages are built by another program, which has the rules on their packages. Here they have floors alone. */
for (const file of sourcesIn(PAGES)) {
  const relative = importsOf(file).filter((name) => name.startsWith("."))
  checkFloors(
    file,
    relative.map((name) => normalize(join(dirname(file), name)).replaceAll("\\", "/")),
  )
}

/** Files that are in a cycle, or import one that is: a file whose imports are all settled is settled, until none is left. */
const cyclic = () => {
  const left = new Set(files)
  const isSettled = (file) => ![...(own.get(file) ?? [])].some((target) => left.has(target))
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const file of left) if (isSettled(file)) left.delete(file)
  }
  return [...left]
}

const inCycles = cyclic()
if (inCycles.length > 0) {
  breaches.push(`cycles of imports, among or above these: ${inCycles.map((file) => `${shown(file)}`).join(", ")}`)
}
for (const breach of breaches) console.error(breach)
if (breaches.length > 0) process.exit(1)
console.log(`${files.length} files import what they may`)
