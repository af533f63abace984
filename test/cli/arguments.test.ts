/** The arguments of the command: what they ask for, and that none is ever ignored. */
import { describe, expect, test } from "vitest"
import { readArguments } from "../../src/cli/arguments.ts"

const PLAIN = { target: "", envFiles: [], json: false, log: "", verify: false, discardWaiting: false, isWorker: false }

test("each command is read, and no command is the server", () => {
  expect(readArguments([])).toEqual({ ...PLAIN, command: "serve" })
  for (const command of ["serve", "migrate", "check", "keys"] as const) {
    expect(readArguments([command])).toEqual({ ...PLAIN, command })
  }
  for (const command of ["backup", "restore"] as const) {
    expect(readArguments([command, "keys"])).toEqual({ ...PLAIN, command, target: "keys" })
  }
  expect(readArguments(["keys", "new"])).toEqual({ ...PLAIN, command: "keys new" })
  expect(readArguments(["keys", "reseal"])).toEqual({ ...PLAIN, command: "keys reseal" })
})

test("options stand before or after the command", () => {
  expect(readArguments(["--env-file", "a", "serve", "--env-file=b"])).toEqual({
    ...PLAIN,
    command: "serve",
    envFiles: ["a", "b"],
  })
  expect(readArguments(["check", "--json"])).toEqual({ ...PLAIN, command: "check", json: true })
  expect(readArguments(["backup"])).toEqual({ ...PLAIN, command: "backup" })
  expect(readArguments(["backup", "--to", "s3://b/p"])).toEqual({ ...PLAIN, command: "backup", target: "s3://b/p" })
  expect(readArguments(["backup", "--verify"])).toEqual({ ...PLAIN, command: "backup", verify: true })
  expect(readArguments(["promote", "--discard-waiting"])).toEqual({
    ...PLAIN,
    command: "promote",
    discardWaiting: true,
  })
  expect(readArguments(["doctor", "a.json", "--log", "b"])).toEqual({
    ...PLAIN,
    command: "doctor",
    target: "a.json",
    log: "b",
  })
  expect(readArguments(["--worker"])).toEqual({ ...PLAIN, command: "serve", isWorker: true })
})

test("help and version precede the command", () => {
  for (const option of ["--help", "-h"]) expect(readArguments(["serve", option]).command).toBe("help")
  for (const option of ["--version", "-v"]) expect(readArguments([option]).command).toBe("version")
})

describe("is refused with a sentence:", () => {
  test.each([
    [["--port", "9999"], /^Unknown option '--port'; gathercue --help lists the commands and options\.$/],
    [["--env-file"], /--env-file.*argument missing; gathercue --help/],
    [["--help=yes"], /does not take an argument; gathercue --help/],
    [["keys", "--json"], /^--json is an option of check and inspect alone; gathercue --help/],
    [["check", "--log", "a"], /^--log is an option of doctor alone; gathercue --help/],
    [["start"], /^"start" is no command; gathercue --help/],
    [["keys", "old"], /^"keys old" is no command; /],
    [["serve", "serve"], /^"serve serve" is no command; /],
    [["restore"], /^"restore" needs a folder or s3:\/\/ place: gathercue restore <target>\.$/],
    [["restore", "--to", "a"], /^--to is an option of backup alone; /],
    [["backup", "a", "--to", "b"], /^"backup a b" is no command; /],
    [["check", "--verify"], /^--verify is an option of backup alone; /],
    [["check", "--discard-waiting"], /^--discard-waiting is an option of promote alone; /],
    [["restore", "a", "b"], /^"restore a b" is no command; /],
    [["backup [target]"], /is no command; /],
    [["toString"], /^"toString" is no command; /],
  ] as const)("%j", (args, sentence) => {
    expect(() => readArguments(args)).toThrow(sentence)
  })
})
