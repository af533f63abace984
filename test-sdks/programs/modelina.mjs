/** Writes a model of each type of the gateway's messages into a folder. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { TypeScriptGenerator } from "@asyncapi/modelina"

const [, , input, output] = process.argv
const generator = new TypeScriptGenerator({ modelType: "interface", enumType: "union" })
const models = await generator.generateCompleteModels(JSON.parse(await readFile(input, "utf8")), {
  exportType: "named",
})
for (const { modelName, result } of models) await writeFile(join(output, `${modelName}.ts`), result)
console.log(models.map(({ modelName }) => modelName).join("\n"))
