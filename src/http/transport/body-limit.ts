/** Bodies of requests larger than this are refused while they arrive. Uploads of media have limits of their own. */
export const BODY_LIMIT_BYTES = 262_144
