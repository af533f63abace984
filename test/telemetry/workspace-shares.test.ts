/** The metrics of what workspaces take name the few that take most. */
import { expect, test } from "vitest"
import { WorkspaceShares } from "../../src/telemetry/workspace-shares.ts"

test("five workspaces of each kind are named, and one that takes nothing any more is not", () => {
  const shares = new WorkspaceShares()
  let taken = Array.from({ length: 8 }, (_, n) => ({ workspaceId: `w${n}`, amount: 8 - n }))
  shares.from("encoders", () => taken)
  const named = () => shares.render().match(/^gathercue_workspace_encoders\{.*$/gmu)
  expect(named()).toEqual([
    'gathercue_workspace_encoders{workspace="w0"} 8',
    'gathercue_workspace_encoders{workspace="w1"} 7',
    'gathercue_workspace_encoders{workspace="w2"} 6',
    'gathercue_workspace_encoders{workspace="w3"} 5',
    'gathercue_workspace_encoders{workspace="w4"} 4',
  ])
  taken = taken.slice(7)
  expect(named()).toEqual(['gathercue_workspace_encoders{workspace="w7"} 1'])
  expect(shares.render()).toContain("# TYPE gathercue_workspace_uploads gauge\n")
})
