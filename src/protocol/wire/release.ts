/** The release, which server and client have in common, and the number by which they know that they fit together. */

/** As package.json has it. */
export const RELEASE = "0.1.0"

/** Grows with a change of REST or of the gateway that clients of before cannot work with. Fields that are added are no such change. */
export const CONTRACT = 1
