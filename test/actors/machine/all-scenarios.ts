/** All scenarios of a live event. */
import { BREAKOUTS } from "./breakout-scenarios.ts"
import { HOSTS } from "./host-scenarios.ts"
import { POLLS } from "./poll-scenarios.ts"
import { REGIONS } from "./region-scenarios.ts"
import { ROTATIONS } from "./rotation-scenarios.ts"
import { AGENDA } from "./scenarios.ts"

export const SCENARIOS = [...AGENDA, ...REGIONS, ...HOSTS, ...BREAKOUTS, ...ROTATIONS, ...POLLS]
