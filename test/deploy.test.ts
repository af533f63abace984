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
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
}

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } }
}

interface Container {
  readonly env?: ReadonlyArray<Variable>
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata?: { readonly name: string }
  readonly data?: Environment
  readonly stringData?: Environment
  readonly resources?: ReadonlyArray<string>
  readonly spec?: {
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
    value === "" && /SECRET_KEY$|_SECRET$|PASSWORD$|TOKEN$/.test(key) && !key.startsWith("S3_") ? SECRET : value,
  ]),
)

const composeOf = (given: Environment): Compose => parseYaml(interpolated(textOf("compose.yaml"), given)) as Compose

const nodesOf = ({ services }: Compose): ReadonlyArray<readonly [string, Service]> =>
  Object.entries(services).filter(([, { environment }]) => environment?.["CLUSTER_ADDRESS"] !== undefined)

const configOf = (environment: Environment): Config => loadConfig(environment)

const manifestFiles = readdirSync(new URL("kubernetes/", FOLDER))
  .filter((file) => file.endsWith(".yaml") && file !== "secret.yaml")
  .sort()

const manifests = manifestFiles.flatMap((file) =>
  textOf(`kubernetes/${file}`)
    .split(/^---$/m)
    .map((part) => parseYaml(part) as Manifest),
)

const manifest = (kind: string, name: string): Manifest => {
  const found = manifests.find((one) => one.kind === kind && one.metadata?.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name}`)
  return found
}

test("each node of compose.yaml has settings that the server takes, and they differ in their address alone", () => {
  const nodes = nodesOf(composeOf(filled))
  expect(nodes.map(([name, { environment }]) => [name, environment?.["CLUSTER_ADDRESS"]])).toEqual([
    ["node1", "node1:4000"],
    ["node2", "node2:4000"],
  ])
  for (const [name, { environment = {}, stop_grace_period, volumes, networks }] of nodes) {
    expect(unknownIn(Object.keys(environment))).toEqual([])
    const config = configOf(environment)
    expect(config).toMatchObject({ production: true, cluster: { host: name, port: 4000 }, host: "0.0.0.0", port: 8080 })
    expect(Number.parseInt(stop_grace_period ?? "", 10)).toBeGreaterThan(config.drainDelayMs / 1000 + STOP_SECONDS)
    expect(volumes).toEqual([`media:${config.dataDir}`])
    expect(networks?.default?.ipv4_address).toMatch(/^172\.30\.7\./)
  }
  const [first, second] = nodes.map(([, { environment }]) => ({ ...environment, CLUSTER_ADDRESS: "" }))
  expect(first).toEqual(second)
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
  expect(withValues).toEqual(["PUBLIC_URL"])
  // The passwords of PostgreSQL and NATS are not the server's own keys.
  expect(unknownIn(Object.keys(example))).toEqual(["POSTGRES_PASSWORD", "NATS_PASSWORD"])
})

test("a bucket in .env is taken", () => {
  const [node] = nodesOf(
    composeOf({ ...filled, S3_URL: "https://s3.example/b", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" }),
  )
  expect(configOf(node?.[1].environment ?? {}).s3).toMatchObject({ url: "https://s3.example/b", region: "us-east-1" })
})

test("each pod has settings that the server takes, and the time for a stop", () => {
  const { data = {} } = manifest("ConfigMap", "gathercue")
  const secrets = manifest("Secret", "gathercue").stringData ?? {}
  const pod = manifest("Deployment", "gathercue").spec?.template?.spec
  const variables = pod?.containers[0]?.env ?? []
  const values: Record<string, string> = { POD_IP: "10.1.2.3" }
  for (const { name, value, valueFrom } of variables) {
    const key = valueFrom?.secretKeyRef?.key
    if (key !== undefined) {
      expect(Object.keys(secrets)).toContain(key)
      const isUrl = key === "DATABASE_URL" || key === "SMTP_URL"
      values[name] = isUrl ? `${key === "SMTP_URL" ? "smtp" : "postgres"}://host/gathercue` : SECRET
    }
    // A variable may use those that stand before it.
    if (value !== undefined) values[name] = value.replace(/\$\((\w+)\)/g, (_, other: string) => values[other] ?? "?")
  }
  const environment = { ...data, ...values }
  expect(unknownIn(Object.keys(environment))).toEqual(["POD_IP", "NATS_PASSWORD"])
  const config = configOf(environment)
  expect(config).toMatchObject({ production: true, cluster: { host: "10.1.2.3", port: 4000 }, dataDir: "/data" })
  expect(config.s3).not.toBeNull()
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(config.drainDelayMs / 1000 + STOP_SECONDS)
})

test("the template of the Kubernetes secret holds none, and the kustomization names every file", () => {
  const { stringData = {} } = manifest("Secret", "gathercue")
  expect(Object.values(stringData).join("")).toBe("")
  const listed = manifests.find(({ kind }) => kind === "Kustomization")?.resources ?? []
  const files = manifestFiles.filter((file) => file !== "kustomization.yaml")
  expect(listed.toSorted()).toEqual(files.map((file) => file.replace("secret.example", "secret")).toSorted())
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
