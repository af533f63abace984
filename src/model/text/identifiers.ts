/** Code identifiers in other notations; they consist of ASCII letters only. */

/** Converts to snake case: `hostAbsence` is the column `host_absence`. */
export const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Converts to Pascal case: `event.started` is the schema `EventStarted`. */
export const inPascalCase = (name: string): string =>
  name.replaceAll(/(?:^|\.)(\w)/g, (_all, first: string) => first.toUpperCase())
