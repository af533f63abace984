/** The release, shared by server and client, and the number by which they check their compatibility. */

/** Version in package.json. */
export const RELEASE = "0.1.0"

/** Incremented with a change of REST or of the gateway that older clients cannot work with. Added fields are not such a change. */
export const CONTRACT = 1
