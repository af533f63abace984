/** Relays the charts of a server with INSPECT=1 to Stately's inspector, and opens that in the browser. */
import { createInspectorServer } from "@statelyai/inspect/server"

const PORT = 8090

createInspectorServer({ port: PORT })
console.log(`The inspector is at http://localhost:${PORT}; now start a server: INSPECT=1 npm start`)
