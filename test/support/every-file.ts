/** Runs before each test file: modules are shared by the files of a worker, so that hooks cannot stand in them. */
import { afterEach, expect } from "vitest"
import { breaches } from "./breaches.ts"

afterEach(() => expect(breaches.splice(0)).toEqual([]))
