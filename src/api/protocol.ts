/** The Model Context Protocol, loaded only for agents: it is as long as a third of the bot. */
export { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';
