import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { acceptedRoles, guestRole, Modality, narrowRole, nearestRole } from "../../src/model/modality.ts"
import { EventRole } from "../../src/model/roles.ts"

const role = fc.constantFrom(...EventRole.literals)
const modality = fc.constantFrom(...Modality.literals)

describe("narrowing", () => {
  test("a role reads as the phase has it", () => {
    for (const [stored, phase, read] of [
      ["speaker", "broadcast", "speaker"],
      ["speaker", "meeting", "participant"],
      ["speaker", "breakout", "participant"],
      ["speaker", "rotation", "participant"],
      ["participant", "broadcast", "viewer"],
      ["participant", "meeting", "participant"],
      ["viewer", "broadcast", "viewer"],
      ["viewer", "meeting", "viewer"],
      ["host", "broadcast", "host"],
      ["host", "rotation", "host"],
      ["workspace_admin", "meeting", "workspace_admin"],
      ["speaker", null, "speaker"],
      ["participant", null, "participant"],
    ] as const) {
      expect(narrowRole(stored, phase)).toBe(read)
    }
  })

  test("never widens: what a narrowed role may do, the stored one may do too", () => {
    const rank = ["viewer", "participant", "speaker", "host", "workspace_admin"]
    fc.assert(
      fc.property(role, modality, (stored, phase) => {
        expect(rank.indexOf(narrowRole(stored, phase))).toBeLessThanOrEqual(rank.indexOf(stored))
        expect(narrowRole(narrowRole(stored, phase), phase)).toBe(narrowRole(stored, phase))
      }),
    )
  })
})

test("a guest is a participant, or a viewer where all phases are broadcasts", () => {
  for (const [modalities, read] of [
    [["meeting"], "participant"],
    [["broadcast", "rotation"], "participant"],
    [["broadcast"], "viewer"],
    [[], "participant"],
  ] as const) {
    expect(guestRole(modalities)).toBe(read)
  }
})

test("an event of several phases accepts the union of their roles, and always workspace_admin", () => {
  fc.assert(
    fc.property(fc.array(modality, { minLength: 1 }), (modalities) => {
      const union = new Set(modalities.flatMap((one) => acceptedRoles([one])))
      expect(new Set(acceptedRoles(modalities))).toEqual(union)
      expect(union.has("workspace_admin") && union.has("host")).toBe(true)
    }),
  )
})

test("an event without phases accepts workspace_admin alone, and takes nobody's role away", () => {
  expect(acceptedRoles([])).toEqual(["workspace_admin"])
  for (const stored of EventRole.literals) expect(nearestRole(stored, [])).toBe(stored)
})

test("a role that somebody has is read as one that the event has, and never as a wider one", () => {
  const rank = ["viewer", "participant", "speaker", "host", "workspace_admin"]
  fc.assert(
    fc.property(role, fc.array(modality, { minLength: 1 }), (stored, modalities) => {
      const read = nearestRole(stored, modalities)
      expect(rank.indexOf(read)).toBeLessThanOrEqual(rank.indexOf(stored))
      expect(nearestRole(read, modalities)).toBe(read)
      if (acceptedRoles(modalities).includes(stored)) expect(read).toBe(stored)
    }),
  )
})
