/** Content of a full `ready`, and its receiver. */
import type { Me, Ready } from "../contract/types.ts"

export type Snapshot = Extract<Ready, { readonly resumed: false }>

export const actsAsStaff = ({ role }: Pick<Me, "role">): boolean => role === "workspace_admin" || role === "host"
