/** Pebble, Let's Encrypt's test authority, as a process on loopback. It refuses every fifth nonce, and finds names by a DNS server of the test's. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { request } from "node:https"
import { join } from "node:path"
import { type DnsServer, startDnsServer } from "../../test/support/dns-server.ts"
import { freePort } from "../../test/support/free-port.ts"
import { TEST_CERTIFICATE } from "../../test/support/test-certificate.ts"
import { eventually } from "../../test/support/wait.ts"
import { goProgram } from "./go-program.ts"

export interface Pebble {
  readonly directory: string
  /** A file with the certificate of its own address, which a server is to trust. */
  readonly trust: string
  /** Where it looks for answers to challenges. */
  readonly httpPort: number
  readonly dns: DnsServer
  /** The certificate that signs those that it gives. */
  readonly root: () => Promise<string>
  readonly stop: () => Promise<void>
}

interface Asked {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/** Asks over TLS, under the certificate of `ca` alone. */
export const askSecurely = (
  url: string,
  options: { readonly ca: string; readonly servername?: string },
): Promise<Asked> =>
  new Promise((resolve, reject) => {
    // RFC 8555 asks for the name of the client.
    const headers = { "user-agent": "gathercue-drills" }
    const asking = request(url, { ...options, headers, agent: false }, (answer) => {
      let body = ""
      answer.setEncoding("utf8")
      answer.on("data", (chunk: string) => {
        body += chunk
      })
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
    })
    asking.on("error", reject).end()
  })

/** `lifeSeconds`: of the certificates that it gives. */
export const startPebble = async (folder: string, lifeSeconds: number, port?: number): Promise<Pebble> => {
  const [at, management, httpPort, tlsPort] = [
    port ?? (await freePort()),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const dns = await startDnsServer()
  const [certificate, privateKey, file] = ["pebble.pem", "pebble-key.pem", "pebble.json"].map((name) =>
    join(folder, name),
  )
  if (certificate === undefined || privateKey === undefined || file === undefined) throw new Error("no files")
  await writeFile(certificate, TEST_CERTIFICATE.cert)
  await writeFile(privateKey, TEST_CERTIFICATE.key)
  const pebble = {
    listenAddress: `127.0.0.1:${at}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate,
    privateKey,
    httpPort,
    tlsPort,
    ocspResponderURL: "",
    externalAccountBindingRequired: false,
    retryAfter: { authz: 1, order: 1 },
    keyAlgorithm: "ecdsa",
    profiles: { default: { description: "The only one", validityPeriod: lifeSeconds } },
  }
  await writeFile(file, JSON.stringify({ pebble }))
  const child = spawn(goProgram("pebble"), ["-config", file, "-dnsserver", dns.address], {
    env: { PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "20" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  child.stdout.resume()
  const exited = once(child, "exit")
  const ask = (url: string): Promise<Asked> => askSecurely(url, { ca: TEST_CERTIFICATE.cert })
  const directory = `https://127.0.0.1:${at}/dir`
  const answers = () =>
    ask(directory).then(
      ({ status }) => status === 200,
      () => false,
    )
  await eventually(answers, "Pebble to answer")
  return {
    directory,
    trust: certificate,
    httpPort,
    dns,
    root: async () => (await ask(`https://127.0.0.1:${management}/roots/0`)).body,
    stop: async () => {
      child.kill()
      await exited
      await dns.close()
    },
  }
}
