/** Examples of second factors and of sign-in through workspaces. */
import { account, ids, T0, T1, TOKEN } from "./example-objects.ts"

const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
const CODES = { recoveryCodes: ["k7rm-2hqx-9wcd-e4tz", "b3nf-6vyp-8sju-h5ga"] }
const CHALLENGE = "nVqGZkPq3yGvXK2mB1l4eJx0yCw7sRr9tTfQh8uYdWc"
const PASSKEY = { id: ids.passkey, name: "Laptop", createdAt: T0, lastUsedAt: T1 }
const CREDENTIAL = { id: "k3ZrV2hTQ2lKbE1vUHE", rawId: "k3ZrV2hTQ2lKbE1vUHE", type: "public-key" }
const ASSERTION = {
  ...CREDENTIAL,
  response: {
    clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
    authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4",
    signature: "MEUCIQDf",
    userHandle: "AZah8AAAcACAAAAAAAAAAQ",
  },
}
const CONNECTION = {
  id: ids.connection,
  name: "Okta",
  issuer: "https://acme.okta.com",
  clientId: "0oa1b2c3",
  domains: [
    {
      domain: "example.com",
      proved: true,
      record: { name: "_gathercue.example.com", value: `gathercue-connection=${TOKEN}` },
    },
  ],
  defaultRole: "member",
  redirectUri: `https://events.example.com/v1/auth/sso/${ids.connection}/callback`,
  createdAt: T0,
  updatedAt: T0,
  lastSuccessAt: T1,
  lastFailureAt: null,
  lastError: null,
}

export const SECOND_FACTOR_EXAMPLES = {
  getMfa: { response: { totp: { confirmedAt: T0 }, passkeys: [PASSKEY], recoveryCodesLeft: 9 } },
  startPasskey: {
    response: {
      challenge: CHALLENGE,
      rp: { id: "events.example.com", name: "Gathercue" },
      user: { id: "AZah8AAAcACAAAAAAAAAAQ", name: "ada@example.com", displayName: "Ada Lovelace" },
      pubKeyCredParams: [{ alg: -7, type: "public-key" }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    },
  },
  createPasskey: {
    request: {
      name: "Laptop",
      response: {
        ...CREDENTIAL,
        response: { clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", attestationObject: "o2NmbXRkbm9uZQ" },
      },
    },
    response: { ...PASSKEY, ...CODES },
  },
  patchPasskey: { request: { name: "Laptop" }, response: PASSKEY },
  startPasskeyLogin: {
    response: { challenge: CHALLENGE, rpId: "events.example.com", userVerification: "required", timeout: 300_000 },
  },
  loginWithPasskey: { request: { response: ASSERTION }, response: account },
  startTotp: {
    response: {
      secret: SECRET,
      otpauthUrl: `otpauth://totp/Gathercue:ada%40example.com?issuer=Gathercue&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
    },
  },
  confirmTotp: { request: { code: "492039" }, response: CODES },
  getProof: { response: { fresh: false, methods: ["code"] } },
  prove: { request: { code: "492039" }, response: { proved: true } },
  renewRecoveryCodes: { response: CODES },
  findSso: { response: { connection: { id: ids.connection, name: "Okta" } } },
  listConnections: { response: { connections: [CONNECTION] } },
  createConnection: {
    request: {
      name: "Okta",
      issuer: CONNECTION.issuer,
      clientId: CONNECTION.clientId,
      clientSecret: "kept by the server, and never shown",
      domains: ["example.com"],
      defaultRole: "member",
    },
    response: CONNECTION,
  },
  patchConnection: { request: { defaultRole: "member" }, response: CONNECTION },
  checkConnection: { response: CONNECTION },
}
