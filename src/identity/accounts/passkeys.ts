/**
 * Passkeys (WebAuthn, by `@simplewebauthn/server`). An authenticator that verifies its person (by a finger, a face or a number) counts as
 * both factors, so a passkey signs in alone. Each answer of an authenticator consumes its challenge.
 */
import { randomBytes } from "node:crypto"
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server"
import { Clock, Context, Effect, Layer } from "effect"
import { BadRequest, Unauthorized, type Unavailable } from "../../model/errors.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { findPasskey, notePasskeyUse, type StoredPasskey } from "../../store/accounts/passkeys.ts"
import { type ChallengePurpose, insertChallenge, takeChallenge } from "../../store/accounts/sign-in-challenges.ts"
import { Database } from "../../store/database.ts"
import { hashSecret } from "../secrets.ts"

const NAME = "Gathercue"
const CHALLENGE_MS = 300_000
const WRONG = new Unauthorized({ detail: "The passkey was not accepted; try again." })
const NOT_REGISTERED = BadRequest.ofField("response", "was not accepted; begin again")

/** Browsers tie passkeys to a host name, not to an IP address: a server on this machine alone is called `localhost`. */
const relyingPartyOf = (publicUrl: string) => {
  const { origin, hostname, protocol, port } = new URL(publicUrl)
  if (hostname !== "127.0.0.1" && hostname !== "[::1]") return { id: hostname, origins: [origin] }
  return { id: "localhost", origins: [origin, `${protocol}//localhost${port === "" ? "" : `:${port}`}`] }
}

/** Challenge that an authenticator answered; undefined for data that are not from a browser. */
const challengeIn = (clientDataJSON: string): string | undefined => {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"))
    const { challenge } = data as { readonly challenge?: unknown }
    return typeof challenge === "string" ? challenge : undefined
  } catch {
    return undefined
  }
}

type Options = { readonly [field: string]: unknown }

/** Removes undefined members. */
const asJson = (options: object): Options => JSON.parse(JSON.stringify(options))

type Registered = Pick<StoredPasskey, "credentialId" | "publicKey" | "counter">

export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** Options for a browser that makes a passkey. `existing` are the ids of the account's passkeys. */
    readonly registrationOptions: (
      account: { readonly accountId: string; readonly name: string; readonly email: string },
      existing: ReadonlyArray<string>,
    ) => Effect.Effect<Options, Unavailable>
    readonly register: (
      accountId: string,
      response: RegistrationResponseJSON,
    ) => Effect.Effect<Registered, BadRequest | Unavailable>
    /** Options for any browser: the answer identifies the passkey's account. */
    readonly signInOptions: Effect.Effect<Options, Unavailable>
    /** Succeeds with the account of the passkey. */
    readonly signIn: (
      response: AuthenticationResponseJSON,
    ) => Effect.Effect<{ readonly accountId: string }, Unauthorized | Unavailable>
  }
>()("gathercue/Passkeys") {
  static readonly layer = (publicUrl: string): Layer.Layer<Passkeys, never, Database> =>
    Layer.effect(
      Passkeys,
      Effect.gen(function* () {
        const database = yield* Database
        const { id: rpID, origins } = relyingPartyOf(publicUrl)
        const expectedOrigin = [...origins]

        const newChallenge = (purpose: ChallengePurpose, accountId: string | null) =>
          Effect.gen(function* () {
            const challenge = randomBytes(32)
            const expiresAt = toTimestamp((yield* Clock.currentTimeMillis) + CHALLENGE_MS)
            const tokenHash = hashSecret(challenge.toString("base64url"))
            const row = { tokenHash, purpose, accountId, credentialsVersion: null, expiresAt }
            yield* database.run((sql) => insertChallenge(sql, row))
            return new Uint8Array(challenge)
          })

        /** Consumes the challenge of an answer. Null when it was for another purpose or account, too old, or already answered. */
        const challengeOf = (purpose: ChallengePurpose, accountId: string | null, clientDataJSON: string) =>
          Effect.gen(function* () {
            const challenge = challengeIn(clientDataJSON)
            if (challenge === undefined) return null
            const now = toTimestamp(yield* Clock.currentTimeMillis)
            const tokenHash = hashSecret(challenge)
            const found = yield* database.run((sql) => takeChallenge(sql, { tokenHash, purpose, now }))
            return found !== undefined && found.accountId === accountId ? challenge : null
          })

        return {
          registrationOptions: ({ accountId, name, email }, existing) =>
            Effect.gen(function* () {
              const challenge = yield* newChallenge("passkey_registration", accountId)
              const options = yield* Effect.promise(() =>
                generateRegistrationOptions({
                  rpName: NAME,
                  rpID,
                  userID: new Uint8Array(Buffer.from(accountId.replaceAll("-", ""), "hex")),
                  userName: email,
                  userDisplayName: name,
                  challenge,
                  timeout: CHALLENGE_MS,
                  excludeCredentials: existing.map((id) => ({ id })),
                  authenticatorSelection: { residentKey: "required", userVerification: "required" },
                }),
              )
              return asJson(options)
            }),
          register: (accountId, response) =>
            Effect.gen(function* () {
              const { clientDataJSON } = response.response
              const expectedChallenge = yield* challengeOf("passkey_registration", accountId, clientDataJSON)
              if (expectedChallenge === null) return yield* NOT_REGISTERED
              const { registrationInfo } = yield* Effect.tryPromise({
                try: () =>
                  verifyRegistrationResponse({
                    response,
                    expectedChallenge,
                    expectedOrigin,
                    expectedRPID: rpID,
                    requireUserVerification: true,
                  }),
                catch: () => NOT_REGISTERED,
              })
              if (registrationInfo === undefined) return yield* NOT_REGISTERED
              const { id: credentialId, publicKey, counter } = registrationInfo.credential
              return { credentialId, publicKey, counter }
            }),
          signInOptions: Effect.gen(function* () {
            const challenge = yield* newChallenge("passkey", null)
            const options = yield* Effect.promise(() =>
              generateAuthenticationOptions({ rpID, challenge, timeout: CHALLENGE_MS, userVerification: "required" }),
            )
            return asJson(options)
          }),
          signIn: (response) =>
            Effect.gen(function* () {
              const expectedChallenge = yield* challengeOf("passkey", null, response.response.clientDataJSON)
              const passkey = yield* database.run((sql) => findPasskey(sql, response.id))
              if (expectedChallenge === null || passkey === undefined) return yield* WRONG
              const { verified, authenticationInfo } = yield* Effect.tryPromise({
                try: () =>
                  verifyAuthenticationResponse({
                    response,
                    expectedChallenge,
                    expectedOrigin,
                    expectedRPID: rpID,
                    requireUserVerification: true,
                    credential: {
                      id: passkey.credentialId,
                      publicKey: new Uint8Array(passkey.publicKey),
                      counter: passkey.counter,
                    },
                  }),
                catch: () => WRONG,
              })
              if (!verified) return yield* WRONG
              const isThere = yield* database.run((sql) =>
                notePasskeyUse(sql, passkey.id, authenticationInfo.newCounter),
              )
              return isThere ? { accountId: passkey.accountId } : yield* WRONG
            }),
        }
      }),
    )
}
