/** Address at which the other nodes reach a node. */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

/** The address as the cluster engine and the table of nodes write it. */
export const addressText = ({ host, port }: NodeAddress): string => `${host}:${port}`
