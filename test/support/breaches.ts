/** Messages to and from clients of the running test that do not match the gateway's description. */
export const breaches: string[] = []
