import { remoteSnippet } from '@wigwag/mcp'

/** How a client of assistants is told where to sign in. */
export interface ConnectSnippet {
  client: string
  /** Where the text goes; undefined for a command. */
  into: string | undefined
  text: string
}

const CLIENTS = [
  { id: 'claude-code', client: 'Claude Code', into: undefined },
  {
    id: 'claude-desktop',
    client: 'Claude Desktop',
    into: 'Settings, Connectors, Add custom connector. As the URL:',
  },
  { id: 'cursor', client: 'Cursor', into: 'In ~/.cursor/mcp.json:' },
  { id: 'vscode', client: 'VS Code', into: 'In .vscode/mcp.json:' },
]

/** What connects each known client to the connector at an address: the same as `wigwag-mcp config` prints. */
export function connectSnippets(url: string): ConnectSnippet[] {
  return CLIENTS.map(({ id, client, into }) => ({ client, into, text: remoteSnippet(id, url) }))
}
