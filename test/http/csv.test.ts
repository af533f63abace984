/** Lists as CSV: cells that spreadsheets could take for formulas, or split where we do not. */
import { expect, test } from "vitest"
import { CsvWriter } from "../../src/http/requests/csv.ts"

test.each([
  ["Ada", "Ada"],
  ["=1+1", "'=1+1"],
  [`;=HYPERLINK("https://evil.example")`, `";=HYPERLINK(""https://evil.example"")"`],
  ["Ada; Bob", `"Ada; Bob"`],
  ["Ada\t=1+1", `"Ada\t=1+1"`],
  ["-1", "'-1"],
])("%j is written as %j", (name, cell) => {
  const csv = new CsvWriter<string>({ names: ["name"], rowsOf: (item) => [[item]] })
  csv.add([name])
  expect(csv.text()).toBe(`\u{feff}name\r\n${cell}\r\n`)
})
