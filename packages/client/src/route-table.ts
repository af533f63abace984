/** Abbreviations in the table of routes. */

/** Prefix of every path in the table of routes. */
export const PREFIX = "/v1/"
/** HTTP methods. Each is abbreviated by its place, a digit. */
export const METHODS = "GET POST PATCH PUT DELETE"
