/** What clients of the running test received or had accepted that is not as the gateway's description has it. */
export const breaches: string[] = []
