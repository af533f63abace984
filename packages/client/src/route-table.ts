/** Abbreviations in the table of routes. */

/** Prefix of every path in the table of routes. */
export const PREFIX = "/v1/"
/** HTTP methods. One is abbreviated by a character that no earlier one has, because a table of characters is longer. */
export const METHODS = "GET POST PATCH PUT DELETE"
