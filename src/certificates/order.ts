/**
 * Orders a new certificate from an ACME authority (RFC 8555) with the challenge HTTP-01. TLS-ALPN-01 is not possible: the engine holds the
 * port and cannot answer with a protocol of its own choice. acme-client repeats requests refused for their nonce.
 */
import type { AcmeConfig } from "../config/acme.ts"
import { directoryProblem } from "./directory.ts"
import { type KeptCertificate, keepAccountKey, keepCertificate, readAccountKey } from "./kept-certificate.ts"

const REQUEST_WITHIN_MS = 30_000
const POLL_FROM_MS = 500
const POLL_TO_MS = 10_000
const POLLS = 12
/** The renewal has its own schedule. */
const RETRIES = { retryMaxAttempts: 1, retryDefaultDelay: 1 }

/** Challenge answers by token, served by the http port. */
export type ChallengeAnswers = Map<string, string>

/** Resolves when the certificate is stored. */
export const orderCertificate = async (
  { domains, directory, email }: AcmeConfig,
  folder: string,
  answers: ChallengeAnswers,
): Promise<KeptCertificate> => {
  const problem = await directoryProblem(directory)
  if (problem !== undefined) throw new Error(problem)
  // Loaded on demand: a server without its own certificate does not need it.
  const { Client, axios, crypto } = await import("acme-client")
  axios.defaults.timeout = REQUEST_WITHIN_MS
  Object.assign(axios.defaults, { acmeSettings: RETRIES })
  const known = readAccountKey(folder)
  const accountKey = known ?? (await crypto.createPrivateEcdsaKey()).toString()
  if (known === undefined) keepAccountKey(folder, accountKey)
  const client = new Client({
    directoryUrl: directory,
    accountKey,
    backoffAttempts: POLLS,
    backoffMin: POLL_FROM_MS,
    backoffMax: POLL_TO_MS,
  })
  const [key, csr] = await crypto.createCsr({ altNames: [...domains] }, await crypto.createPrivateEcdsaKey())
  const chain = await client.auto({
    csr,
    ...(email === null ? {} : { email }),
    termsOfServiceAgreed: true,
    challengePriority: ["http-01"],
    // From this machine its public names may lead elsewhere.
    skipChallengeVerification: true,
    challengeCreateFn: async (_, { type, token }, answer) => {
      if (type !== "http-01") throw new Error("the authority does not take the challenge http-01")
      answers.set(token, answer)
    },
    challengeRemoveFn: async (_, { token }) => void answers.delete(token),
  })
  return keepCertificate(folder, key.toString(), chain)
}
