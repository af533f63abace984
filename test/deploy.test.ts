/** The files of deploy/ name settings that exist, which together are a configuration that the server takes. */

import { readdirSync, readFileSync } from "node:fs"
import { parseYaml } from "@redocly/openapi-core"
import { expect, test } from "vitest"
import { type Config, loadConfig } from "../src/config/config.ts"
import { CONFIG_KEYS } from "../src/config/keys.ts"

const FOLDER = new URL("../deploy/", import.meta.url)
const SECRET = "Zk3vQ9xWm2LrT7nBz4KpD8cHs1JfG6yA"
/** A stop of a server, and of a supervisor with its workers, takes so long at most (src/app/run-server.ts, src/app/run-workers.ts). */
const STOP_SECONDS = 10
const WORKERS_STOP_SECONDS = 20

const textOf = (file: string): string => readFileSync(new URL(file, FOLDER), "utf8")

type Environment = Readonly<Record<string, string>>

interface Service {
  readonly environment?: Environment
  readonly stop_grace_period?: string
  readonly volumes?: ReadonlyArray<string>
  readonly networks?: { readonly default?: { readonly ipv4_address?: string } }
  readonly ports?: ReadonlyArray<string>
  readonly profiles?: ReadonlyArray<string>
  readonly network_mode?: string
  readonly entrypoint?: ReadonlyArray<string>
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
}

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string }
    readonly fieldRef?: { readonly fieldPath: string }
  }
}

interface Port {
  readonly containerPort: number
  readonly hostPort?: number
  readonly protocol?: string
}

interface Container {
  readonly name: string
  readonly env?: ReadonlyArray<Variable>
  readonly ports?: ReadonlyArray<Port>
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata?: { readonly name: string }
  readonly data?: Environment
  readonly stringData?: Environment
  readonly resources?: ReadonlyArray<string>
  readonly components?: ReadonlyArray<string>
  readonly patches?: ReadonlyArray<{ readonly path: string }>
  readonly configMapGenerator?: ReadonlyArray<{ readonly files: ReadonlyArray<string> }>
  readonly spec?: {
    readonly podSelector?: { readonly matchLabels: { readonly app: string } }
    readonly ingress?: ReadonlyArray<{
      readonly from?: ReadonlyArray<object>
      readonly ports: ReadonlyArray<{ readonly port: number | string; readonly protocol?: string }>
    }>
    readonly template?: {
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number
        readonly containers: ReadonlyArray<Container>
      }
    }
  }
}

const names = new Set<string>(CONFIG_KEYS.map(({ name }) => name))
const unknownIn = (keys: ReadonlyArray<string>): ReadonlyArray<string> => keys.filter((key) => !names.has(key))

/** `KEY=value` lines. */
const assignments = (text: string): Environment =>
  Object.fromEntries(
    Array.from(text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm), ([, key = "", value = ""]) => [key, value]),
  )

/** As Compose does it, for `${KEY}`, `${KEY:-default}` and `${KEY:?}`. */
const interpolated = (text: string, given: Environment): string =>
  text.replace(/\$\{([A-Z0-9_]+)(?::(-|\?)([^}]*))?\}/g, (_, key: string, kind: string, fallback: string) => {
    const value = given[key] ?? ""
    if (value !== "") return value
    if (kind === "?") throw new Error(`${key} has no value`)
    return fallback ?? ""
  })

const filled: Environment = Object.fromEntries(
  Object.entries(assignments(textOf(".env.example"))).map(([key, value]) => [
    key,
    value === "" && /SECRET_KEY$|_SECRET$|PASSWORD$|TOKEN$/.test(key) && !/^(?:S3|MEDIA_API)_/.test(key)
      ? SECRET
      : value,
  ]),
)

const composeOf = (given: Environment): Compose => parseYaml(interpolated(textOf("compose.yaml"), given)) as Compose

const nodesOf = ({ services }: Compose): ReadonlyArray<readonly [string, Service]> =>
  Object.entries(services).filter(([, { environment }]) => environment?.["CLUSTER_ADDRESS"] !== undefined)

const configOf = (environment: Environment): Config => loadConfig(environment)

/** Of a folder under deploy/kubernetes, or of that itself. */
const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(`kubernetes/${folder}`, FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "secret.yaml")
    .map(({ name }) => name)
    .toSorted()

const manifestsOf = (folder: string): ReadonlyArray<Manifest> =>
  filesOf(folder)
    .filter((file) => file.endsWith(".yaml"))
    .flatMap((file) =>
      textOf(`kubernetes/${folder}${file}`)
        .split(/^---$/m)
        .map((part) => parseYaml(part) as Manifest),
    )

const manifests = manifestsOf("")

const manifest = (kind: string, name: string, folder = ""): Manifest => {
  const found = manifestsOf(folder).find((one) => one.kind === kind && one.metadata?.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name} in ${folder}`)
  return found
}

const containerOf = (name: string, folder = ""): Container | undefined =>
  manifest("Deployment", name, folder).spec?.template?.spec.containers.find((one) => one.name === name)

const COMPONENTS = ["media/", "turn/", "livekit/"]

const FIELDS: Environment = { "status.podIP": "10.1.2.3", "status.hostIP": "203.0.113.7" }

/** As a cluster makes it of a secret, a field, or the variables that stand before it. */
const filledIn = ({ value, valueFrom }: Variable, before: Environment): string => {
  const key = valueFrom?.secretKeyRef?.key
  if (key === "DATABASE_URL") return "postgres://host/gathercue"
  if (key === "SMTP_URL") return "smtp://host/gathercue"
  if (key !== undefined) return SECRET
  if (valueFrom?.fieldRef !== undefined) return FIELDS[valueFrom.fieldRef.fieldPath] ?? "?"
  return (value ?? "?").replace(/\$\((\w+)\)/g, (_, other: string) => before[other] ?? "?")
}

/** The environment of a pod with these components. */
const podWith = (components: ReadonlyArray<string>): Environment => {
  const folders = ["", ...components]
  const data = folders.flatMap((folder) => manifestsOf(folder).filter(({ kind }) => kind === "ConfigMap"))
  const variables = folders.flatMap((folder) => containerOf("gathercue", folder)?.env ?? [])
  const secrets = Object.keys(manifest("Secret", "gathercue").stringData ?? {})
  const wanted = variables.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? [])
  expect(secrets).toEqual(expect.arrayContaining(wanted))
  const values: Record<string, string> = {}
  for (const variable of variables) values[variable.name] = filledIn(variable, values)
  return Object.assign({}, ...data.map((one) => one.data), values)
}

test("each node of compose.yaml has settings that the server takes, and they differ in their address alone", () => {
  const nodes = nodesOf(composeOf(filled))
  expect(nodes.map(([name, { environment }]) => [name, environment?.["CLUSTER_ADDRESS"]])).toEqual([
    ["node1", "node1:4000"],
    ["node2", "node2:4000"],
  ])
  for (const [name, { environment = {}, stop_grace_period, volumes, networks, ports }] of nodes) {
    expect(unknownIn(Object.keys(environment))).toEqual([])
    const config = configOf(environment)
    expect(config).toMatchObject({ production: true, cluster: { host: name, port: 4000 }, host: "0.0.0.0", port: 8080 })
    expect(Number.parseInt(stop_grace_period ?? "", 10)).toBeGreaterThan(config.drainDelayMs / 1000 + STOP_SECONDS)
    expect(volumes).toEqual([`media:${config.dataDir}`])
    expect(networks?.default?.ipv4_address).toMatch(/^172\.30\.7\./)
    // Browsers are told the port at which the node listens.
    const media = config.sfu?.port ?? 0
    expect(config.sfu?.addresses).toEqual(["203.0.113.7"])
    expect(ports).toEqual([`${media}:${media}/udp`, `${media}:${media}/tcp`])
  }
  const own = { CLUSTER_ADDRESS: "", MEDIA_PORT: "" }
  const [first, second] = nodes.map(([, { environment }]) => ({ ...environment, ...own }))
  expect(first).toEqual(second)
  expect(new Set(nodes.map(([, { environment }]) => environment?.["MEDIA_PORT"])).size).toBe(2)
})

test("compose.yaml starts coturn with the shipped files, for the secret and the address of the nodes", () => {
  const { services } = composeOf(filled)
  const { entrypoint = [], volumes = [], environment, network_mode } = services["coturn"] ?? {}
  expect(network_mode).toBe("host")
  const mounted = volumes.map((volume) => volume.split(":"))
  expect(mounted.map(([from]) => from)).toEqual(["./turnserver.sh", "./turnserver.conf"])
  expect(entrypoint).toEqual(["sh", ...mounted.map(([, to]) => to), "/tmp"])
  for (const [, node] of nodesOf({ services })) {
    const { mesh } = configOf(node.environment ?? {})
    expect(mesh.ice.urls.map((url) => url.split(/[:?]/)[1])).toEqual(Array(3).fill(environment?.["TURN_ADDRESS"]))
    expect(node.environment?.["TURN_SECRET"]).toBe(environment?.["TURN_SECRET"])
  }
  expect(textOf("turnserver.conf")).toMatch(/^listening-port=3478$/m)
})

test("with the profile livekit of compose.yaml the nodes use it instead of their media servers, by one key", () => {
  const { services } = composeOf({
    ...filled,
    MEDIA_PORT: "0",
    MEDIA_URL: "wss://events.example.com",
    MEDIA_API_KEY: "gathercue",
    MEDIA_API_SECRET: SECRET,
  })
  for (const [, { environment }] of nodesOf({ services })) {
    expect(configOf(environment ?? {})).toMatchObject({
      sfu: null,
      media: { url: "wss://events.example.com", apiKey: "gathercue" },
    })
  }
  const { profiles, ports, environment = {} } = services["livekit"] ?? {}
  expect(profiles).toEqual(["livekit"])
  expect(parseYaml(environment["LIVEKIT_KEYS"] ?? "")).toEqual({ gathercue: SECRET })
  const { port, rtc, webhook } = parseYaml(environment["LIVEKIT_CONFIG"] ?? "") as {
    readonly port: number
    readonly rtc: { readonly tcp_port: number; readonly udp_port: number; readonly node_ip: string }
    readonly webhook: { readonly api_key: string; readonly urls: ReadonlyArray<string> }
  }
  expect(ports).toEqual([`${rtc.tcp_port}:${rtc.tcp_port}/tcp`, `${rtc.udp_port}:${rtc.udp_port}/udp`])
  expect(rtc.node_ip).toBe("203.0.113.7")
  expect(webhook).toEqual({ api_key: "gathercue", urls: [`${filled["PUBLIC_URL"]}/v1/media/livekit/webhook`] })
  expect(textOf("nginx.conf")).toContain(`proxy_pass http://$livekit:${port};`)
})

test("compose.yaml trusts the address of its proxy, and the proxy passes requests on to its nodes", () => {
  const { services } = composeOf(filled)
  const proxy = services["proxy"]?.networks?.default?.ipv4_address
  for (const [, { environment }] of nodesOf({ services })) expect(environment?.["TRUSTED_PROXIES"]).toBe(proxy)
  const upstreams = Array.from(textOf("nginx.conf").matchAll(/^\s*server (\w+):(\d+)/gm), ([, host, port]) => [
    host,
    port,
  ])
  expect(upstreams).toEqual(nodesOf({ services }).map(([name]) => [name, "8080"]))
})

test("compose.yaml asks for every secret, and .env.example has the keys that it takes and no secret", () => {
  const example = assignments(textOf(".env.example"))
  expect(() => composeOf(example)).toThrow("has no value")
  const taken = Array.from(textOf("compose.yaml").matchAll(/\$\{([A-Z0-9_]+)/g), ([, key]) => key)
  expect(Object.keys(example).toSorted()).toEqual([...new Set(taken)].toSorted())
  const withValues = Object.keys(example).filter((key) => example[key] !== "")
  expect(withValues).toEqual(["PUBLIC_URL", "MEDIA_ADDRESSES"])
  // The passwords of PostgreSQL and NATS are not the server's own keys.
  expect(unknownIn(Object.keys(example))).toEqual(["POSTGRES_PASSWORD", "NATS_PASSWORD"])
})

test("a bucket in .env is taken", () => {
  const [node] = nodesOf(
    composeOf({ ...filled, S3_URL: "https://s3.example/b", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" }),
  )
  expect(configOf(node?.[1].environment ?? {}).s3).toMatchObject({ url: "https://s3.example/b", region: "us-east-1" })
})

test.each([
  [["media/", "turn/"], true],
  [["livekit/", "turn/"], false],
  [[], false],
])(
  "each pod with the components %j has settings that the server takes, and the time for a stop",
  (components, hasSfu) => {
    const environment = podWith(components)
    expect(unknownIn(Object.keys(environment)).toSorted()).toEqual(["NATS_PASSWORD", "POD_IP"])
    const config = configOf(environment)
    expect(config).toMatchObject({ production: true, cluster: { host: "10.1.2.3", port: 4000 }, dataDir: "/data" })
    expect(config.s3).not.toBeNull()
    expect(config.sfu).toEqual(hasSfu ? { port: 8081, addresses: ["203.0.113.7"] } : null)
    expect(config.media === null).toBe(!components.includes("livekit/"))
    expect(config.mesh.ice.turnSecret === null).toBe(!components.includes("turn/"))
    const pod = manifest("Deployment", "gathercue").spec?.template?.spec
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(config.drainDelayMs / 1000 + STOP_SECONDS)
  },
)

test("the template of the Kubernetes secret holds none, and each kustomization names every file", () => {
  const { stringData = {} } = manifest("Secret", "gathercue")
  expect(Object.values(stringData).join("")).toBe("")
  for (const folder of ["", ...COMPONENTS]) {
    const [own] = manifestsOf(folder).filter(({ kind }) => kind === (folder === "" ? "Kustomization" : "Component"))
    const { resources = [], patches = [], configMapGenerator = [] } = own ?? {}
    const listed = [
      ...resources,
      ...patches.map(({ path }) => path),
      ...configMapGenerator.flatMap(({ files }) => files),
    ]
    const files = filesOf(folder).filter((file) => file !== "kustomization.yaml")
    expect(listed.toSorted()).toEqual(files.map((file) => file.replace("secret.example", "secret")).toSorted())
  }
  const named = Array.from(
    textOf("kubernetes/kustomization.yaml").matchAll(/^ {2}(?:# )?- (\w+)$/gm),
    ([, name]) => name,
  )
  expect(named.map((name) => `${name}/`).toSorted()).toEqual(COMPONENTS.toSorted())
  expect(manifests.find(({ kind }) => kind === "Kustomization")?.components).toEqual(["media", "turn"])
})

test.each([
  ["media/", "gathercue", "gathercue-media"],
  ["livekit/", "livekit", "livekit"],
])("the network policy of %s lets browsers reach each port of the machine", (folder, app, policy) => {
  const open = containerOf(app, folder)?.ports?.filter(({ hostPort }) => hostPort !== undefined) ?? []
  expect(open.map(({ protocol }) => protocol).toSorted()).toEqual(["TCP", "UDP"])
  for (const { containerPort, hostPort } of open) expect(hostPort).toBe(containerPort)
  const { podSelector, ingress = [] } = manifest("NetworkPolicy", policy, folder).spec ?? {}
  expect(podSelector?.matchLabels).toEqual({ app })
  const fromAnywhere = ingress.filter(({ from }) => from === undefined).flatMap(({ ports }) => ports)
  for (const { containerPort: port, protocol } of open) expect(fromAnywhere).toContainEqual({ port, protocol })
})

test("the component turn has the files of deploy/, and the media ports are those that the pages name", () => {
  for (const file of ["turnserver.conf", "turnserver.sh"]) {
    expect(textOf(`kubernetes/turn/${file}`)).toBe(textOf(file))
  }
  const page = readFileSync(new URL("../docs/calls.md", import.meta.url), "utf8")
  for (const port of [8081, 8082, 3478, 49152, 65535, 7881, 7882]) expect(page).toContain(String(port))
})

test("the unit of systemd names settings that exist, and waits for a stop with workers", () => {
  const unit = textOf("gathercue.service")
  const settings = Array.from(unit.matchAll(/^Environment=(\w+)=/gm), ([, key = ""]) => key)
  expect(settings).toContain("NODE_ENV")
  expect(unknownIn(settings)).toEqual([])
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
  expect(seconds).toBeGreaterThan(WORKERS_STOP_SECONDS + 10)
})

test("the unit and the commands by hand have one data folder, which the unit may write to with every folder of the runbook", () => {
  const unit = textOf("gathercue.service")
  const page = (name: string): string => readFileSync(new URL(`../docs/${name}.md`, import.meta.url), "utf8")
  const state = `/var/lib/${/^StateDirectory=(\S+)$/m.exec(unit)?.[1]}`
  expect(unit).toMatch(/^ProtectSystem=strict$/m)
  expect(unit).not.toMatch(/^Environment=DATA_DIR/m)
  expect(page("operation")).toMatch(new RegExp(`^\`/etc/gathercue/env\`.*\`DATA_DIR=${state}\``, "m"))
  const [, runbook = ""] = /^## Upgrade, and go back$(.*)/ms.exec(page("backups")) ?? []
  const folders = Array.from(runbook.matchAll(/DATA_DIR=(\S+)/g), ([, folder = ""]) => folder)
  expect(folders.length).toBeGreaterThan(3)
  expect(folders.filter((folder) => !folder.startsWith(`${state}/`))).toEqual([])
  const commands = Array.from(page("backups").matchAll(/^.*gathercue (?:backup|restore|serve|promote)\b.*$/gm), String)
  const byHand = commands.filter((line) => /^(?:sudo|DATA_DIR|gathercue|[A-Z_]+=)/.test(line))
  expect(byHand.length).toBeGreaterThan(9)
  for (const line of byHand) expect(line).toMatch(/^sudo -u gathercue .* --env-file \/etc\/gathercue\/env(?: &)?$/)
})
