/** The Model Context Protocol. In the package it is a file of its own; import it when an agent asks, not before. */
export { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';
