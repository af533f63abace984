/** A real OpenID Connect provider in this process, with a browser that consents to everything it is asked. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"
import { keepAlive } from "./keep-alive.ts"

export interface Person {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  /** Unix seconds of an earlier sign-in, of which the provider remembers the browser. */
  readonly signedInAt?: number
}

export interface TestIdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Registers where the client has browsers sent back to; nothing is answered before the first. */
  register(redirectUri: string): void
  /** The person who signs in at the provider from now on. */
  signInAs(person: Person): void
  /** Lets the browser walk from `url` through the provider until it is sent back to `until`; resolves to that address. */
  walk(url: string, until: string): Promise<string>
  close(): Promise<void>
}

export const startIdentityProvider = async (): Promise<TestIdentityProvider> => {
  const server = createServer()
  keepAlive(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { clientId: "gathercue", clientSecret: "a secret of the tests" }
  let person: Person = { sub: "nobody" }
  const redirectUris = new Set<string>()
  const register = (redirectUri: string): void => {
    redirectUris.add(redirectUri)
    if (redirectUris.size > 1) return
    const provider = new Provider(issuer, {
      clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] }],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      cookies: { keys: ["cookie key of the tests"] },
      pkce: { required: () => true },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) }),
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    })
    provider.Client.prototype.redirectUriAllowed = (uri) => redirectUris.has(uri)
    const callback = provider.callback()
    server.on("request", (req, res) => {
      if (!req.url?.startsWith("/interaction/")) return callback(req, res)
      const answer = async () => {
        const { params, session, grantId } = await provider.interactionDetails(req, res)
        const accountId = session?.accountId ?? person.sub
        const grant =
          (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
          new provider.Grant({ accountId, clientId: String(params["client_id"]) })
        grant.addOIDCScope("openid email profile")
        const { signedInAt: ts } = person
        const login = ts === undefined ? { accountId } : { accountId, ts }
        const result = { login, consent: { grantId: await grant.save() } }
        await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: true })
      }
      return answer().catch((cause: unknown) => res.writeHead(500).end(String(cause)))
    })
  }
  return {
    issuer,
    ...client,
    register,
    signInAs: (next) => {
      person = next
    },
    walk: async (url, until) => {
      const cookies = new Map<string, string>()
      let at = url
      for (let step = 0; step < 10; step++) {
        if (at.startsWith(until)) return at
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
        const answer = await fetch(at, { redirect: "manual", headers: { cookie } })
        for (const set of answer.headers.getSetCookie()) {
          const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=")
          cookies.set(name, value)
        }
        const location = answer.headers.get("location")
        if (location === null) throw new Error(`${at}: ${answer.status} ${await answer.text()}`)
        at = new URL(location, at).href
      }
      throw new Error("too many redirects")
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
