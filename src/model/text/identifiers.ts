/** Identifiers of the code in other notations; they have ASCII letters alone. */

/** `hostAbsence` is the column `host_absence`. */
export const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `event.started` is the schema `EventStarted`. */
export const inPascalCase = (name: string): string =>
  name.replaceAll(/(?:^|\.)(\w)/g, (_all, first: string) => first.toUpperCase())
