import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.config.ts"

/** Tests of one server, run against three nodes. They need nats-server on the machine. */
export default mergeConfig(config, defineConfig({ test: { globalSetup: ["test/support/nodes-setup.ts"] } }))
