/** Passkeys: answers of this browser's authenticator to the server's options. Loaded on first use. */
import { startAuthentication, startRegistration } from "@simplewebauthn/browser"
import { rest } from "./rest.ts"

type Registration = Parameters<typeof startRegistration>[0]["optionsJSON"]
type Authentication = Parameters<typeof startAuthentication>[0]["optionsJSON"]

/** Asks the person to create a passkey. */
export const makePasskey = async () => {
  const options = await rest.startPasskey()
  const { id, rawId, response } = await startRegistration({ optionsJSON: options as unknown as Registration })
  const { clientDataJSON, attestationObject } = response
  return { id, rawId, type: "public-key" as const, response: { clientDataJSON, attestationObject } }
}

/** Asks the person to use one of their passkeys. */
export const answerByPasskey = async () => {
  const options = await rest.startPasskeyLogin()
  const { id, rawId, response } = await startAuthentication({ optionsJSON: options as unknown as Authentication })
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
  return {
    id,
    rawId,
    type: "public-key" as const,
    response: { clientDataJSON, authenticatorData, signature, userHandle },
  }
}
