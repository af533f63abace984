export const MCP_PATH = "/v1/mcp"
