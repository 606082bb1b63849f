/** How a client of assistants is told where to sign in. */
export interface ConnectSnippet {
  client: string
  /** Where the text goes; undefined for a command. */
  into: string | undefined
  text: string
  /** A link that opens the client and adds the connector there. It is made here, of the gateway's own address. */
  link: string | undefined
}

const CLIENTS = [
  { id: 'claude-code', client: 'Claude Code', into: undefined, hasLink: false },
  {
    id: 'claude-desktop',
    client: 'Claude Desktop',
    into: 'Settings, Connectors, Add custom connector. As the URL:',
    hasLink: false,
  },
  { id: 'cursor', client: 'Cursor', into: 'In ~/.cursor/mcp.json:', hasLink: true },
  { id: 'vscode', client: 'VS Code', into: 'In .vscode/mcp.json:', hasLink: true },
]

/** Snippets that connect known clients to the connector at an address, as `wigwag-mcp config` prints them. */
export async function connectSnippets(url: string): Promise<ConnectSnippet[]> {
  const { remoteLink, remoteSnippet } = await import('@wigwag/mcp')
  return CLIENTS.map(({ id, client, into, hasLink }) => ({
    client,
    into,
    text: remoteSnippet(id, url),
    link: hasLink ? remoteLink(id, url) : undefined,
  }))
}
