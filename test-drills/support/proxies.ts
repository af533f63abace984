/** The proxies of `deploy/` as processes on loopback, with the shipped files: only addresses differ, and TLS is left out. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { call } from "../../test/support/api.ts"
import { eventually } from "../../test/support/wait.ts"

export type ProxyName = "nginx" | "haproxy" | "caddy"

export interface RunningProxy {
  /** All that it has logged by now. */
  readonly log: () => string
  readonly stop: () => Promise<void>
}

interface Place {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number
  /** Where the servers listen, on 127.0.0.1. */
  readonly servers: ReadonlyArray<number>
  /** An empty folder of its own. */
  readonly folder: string
  /** Instead of the one that is installed. */
  readonly program?: string
}

const shipped = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), "utf8")

/** Throws if the text is not there: the shipped file is not the one that this was written for. */
const replaced = (text: string, ...pairs: ReadonlyArray<readonly [RegExp, string]>): string =>
  pairs.reduce((before, [pattern, by]) => {
    if (!pattern.test(before)) throw new Error(`the file has no ${String(pattern)}`)
    return before.replace(pattern, by)
  }, text)

const nginx = ({ port, servers, folder }: Place): string =>
  replaced(
    shipped("nginx.conf"),
    [/^/, `daemon off;\npid ${folder}/pid;\n`],
    [/http \{/, `http {\n  client_body_temp_path ${folder}/bodies;\n  proxy_temp_path ${folder}/answers;\n`],
    [/server node1:8080 (.*;)\n\s*server node2.*/, servers.map((one) => `server 127.0.0.1:${one} $1`).join("\n")],
    [/server \{\n\s*listen 80;[^}]*\}/, ""],
    [/listen 443 ssl;\n.*ssl_certificate .*;\n.*ssl_certificate_key .*;/, `listen 127.0.0.1:${port};`],
  )

/** As its comment says it, one server is alone and is not asked for its readiness. */
const haproxyServers = (servers: ReadonlyArray<number>): string =>
  (servers.length === 1
    ? servers.map((one) => `server node1 127.0.0.1:${one}`)
    : [
        ...servers.map((one, n) => `server node${n + 1} 127.0.0.1:${one} check`),
        ...servers.map((one, n) => `server waiting${n + 1} 127.0.0.1:${one} backup`),
      ]
  ).join("\n  ")

const haproxy = ({ port, servers }: Place): string =>
  replaced(
    shipped("haproxy.cfg"),
    [/maxconn \d+/, "maxconn 1000"],
    [/frontend plain\n.*\n.*\n/, ""],
    [/bind :443 ssl.*/, `bind 127.0.0.1:${port}`],
    [
      /server node1 node1:8080 check\n.*node2:8080 check\n.*node1:8080 backup\n.*node2:8080 backup\n/,
      `${haproxyServers(servers)}\n`,
    ],
  )

/** As its comment says it, one server is not asked for its readiness. */
const caddy = ({ port, servers, folder }: Place): string =>
  replaced(
    shipped("Caddyfile"),
    [/^\{\n/m, `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n`],
    [/live\.example\.com/, `http://127.0.0.1:${port}`],
    [/node1:8080 node2:8080/, servers.map((one) => `127.0.0.1:${one}`).join(" ")],
    ...(servers.length === 1 ? [[/(?:\t*health_.*\n){3}/, ""] as const] : []),
  )

const PROXIES = {
  nginx: { program: "nginx", write: nginx, args: (file: string, folder: string) => ["-p", folder, "-c", file] },
  haproxy: { program: "haproxy", write: haproxy, args: (file: string) => ["-db", "-f", file] },
  caddy: {
    program: "caddy",
    write: caddy,
    args: (file: string) => ["run", "--adapter", "caddyfile", "--config", file],
  },
} as const

const { PATH = "" } = process.env

/** Debian installs some where the path of an ordinary user does not look. */
const pathOf = (program: string): string => {
  const folders = [...PATH.split(delimiter), "/usr/sbin"]
  const found = folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`The drills need ${program}, which is not installed (Debian: ${program}).`)
  return found
}

/** Resolves when requests get through to a server. */
export const startProxy = async (name: ProxyName, place: Place): Promise<RunningProxy> => {
  const { program, write, args } = PROXIES[name]
  const file = join(place.folder, name)
  const logFile = join(place.folder, `${name}.log`)
  writeFileSync(file, write(place))
  // Its own /dev/stdout cannot be opened again where that is a socket, as Node's pipes are.
  const log = openSync(logFile, "w")
  const child: ChildProcess = spawn(place.program ?? pathOf(program), args(file, place.folder), {
    stdio: ["ignore", log, log],
    env: { PATH, HOME: place.folder },
  })
  const exited = once(child, "exit")
  const read = (): string => readFileSync(logFile, "utf8")
  const isThrough = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${read()}`)
    const answer = await call(`http://127.0.0.1:${place.port}`, "GET", "/readyz").catch(() => undefined)
    return answer?.status === 200
  }
  await eventually(isThrough, `${name} to be reached`)
  return {
    log: read,
    stop: async () => {
      child.kill("SIGTERM")
      await exited
    },
  }
}
