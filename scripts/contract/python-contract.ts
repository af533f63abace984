/** The file of the Python client that says what the server takes and sends, as text. */
import { PROBLEMS } from "../../src/http/contract/problem.ts"
import { COMMANDS, DISPATCHES } from "../../src/protocol/contract.ts"
import { OptOut } from "../../src/protocol/dispatch.ts"
import { OP } from "../../src/protocol/wire/op.ts"
import { CONTRACT, RELEASE } from "../../src/protocol/wire/release.ts"

const literal = (name: string, values: Iterable<string>): string =>
  `${name} = Literal[\n${[...values].map((value) => `    ${JSON.stringify(value)},\n`).join("")}]`

export const pythonContract = (): string =>
  [
    '"""The names of the gateway, written from the contract by a test: do not edit."""\n',
    "from typing import Literal\n",
    `RELEASE = ${JSON.stringify(RELEASE)}`,
    `CONTRACT = ${CONTRACT}`,
    `OP = {\n${Object.entries(OP)
      .map(([name, op]) => `    "${name}": ${op},\n`)
      .join("")}}`,
    literal("CommandName", Object.keys(COMMANDS)),
    literal("DispatchName", Object.keys(DISPATCHES)),
    literal("OptOut", OptOut.literals),
    literal("ProblemCode", Object.keys(PROBLEMS)),
    "",
  ].join("\n")
