import { isWebUrl, shownUrl } from '@wigwag/contract'

/** What a client's configuration says to start the connector over stdio. */
const COMMAND = ['npx', '-y', '@wigwag/mcp'] as const

/** What the connector cannot start without. A secret is prompted for where the client can do that. */
const REQUIRED = {
  WIGWAG_BASE_URL: { about: 'base URL of the gateway', example: 'https://gateway.example', secret: false },
  WIGWAG_CLIENT_ID: { about: 'client ID', example: 'YOUR_CLIENT_ID', secret: false },
  WIGWAG_CLIENT_SECRET: { about: 'client secret', example: 'YOUR_CLIENT_SECRET', secret: true },
  WIGWAG_WALLET_TOKEN: { about: 'wallet token', example: 'YOUR_WALLET_TOKEN', secret: true },
} as const
type Required = keyof typeof REQUIRED

/** The limits and the file that keeps them: carried over when they are set, and left out when they are not. */
const OPTIONAL = [
  'WIGWAG_MCP_DAILY_SPEND',
  'WIGWAG_MCP_DAILY_MESSAGES',
  'WIGWAG_MCP_RECIPIENTS',
  'WIGWAG_MCP_STATE',
] as const

export type Environment = Readonly<Record<string, string | undefined>>

/** What a client is given: to start the connector itself, or to sign in at one that is served somewhere. */
interface Writers {
  start(env: Environment): string
  signIn(url: string): string
}

const writers = new Map<string, Writers>([
  [
    'claude-code',
    { start: claudeCode, signIn: (url) => `claude mcp add --transport http wigwag ${shellWord(url)}` },
  ],
  // Its file is for what it starts itself. Elsewhere, it has a form that asks for the address.
  ['claude-desktop', { start: mcpServers, signIn: (url) => url }],
  ['cursor', { start: mcpServers, signIn: (url) => json({ mcpServers: { wigwag: { url } } }) }],
  ['vscode', { start: vsCode, signIn: (url) => json({ servers: { wigwag: { type: 'http', url } } }) }],
])

/**
 * What a person pastes so that a client starts the connector: a command for Claude Code, else the text of a file,
 * `claude_desktop_config.json`, `.cursor/mcp.json` or `.vscode/mcp.json`. What `env` lacks is a placeholder.
 */
export function configSnippet(client: string, env: Environment): string {
  const { start } = writersFor(client)
  const { WIGWAG_BASE_URL: baseUrl } = env
  if (!baseUrl || isWebUrl(baseUrl)) return start(env)
  throw notCallable('WIGWAG_BASE_URL', 'https://gateway.example', baseUrl)
}

/**
 * What a person pastes so that a client signs in at a connector that is served over HTTP: a command, the text of a file
 * as above, or, for Claude Desktop, the address that its form for connectors asks for.
 */
export function remoteSnippet(client: string, url: string): string {
  const { signIn } = writersFor(client)
  if (isWebUrl(url)) return signIn(new URL(url).href)
  throw notCallable('--url', 'https://sms.example.com/mcp', url)
}

function notCallable(name: string, example: string, url: string): Error {
  return new Error(
    `Expected ${name} to be such as ${example}, without user name and password; got '${shownUrl(url)}'.`,
  )
}

function writersFor(client: string): Writers {
  const found = writers.get(client)
  if (found) return found
  throw new Error(`Expected --client to be one of ${[...writers.keys()].join(', ')}; got '${client}'.`)
}

/** The name comes first: `--env` would take it for one more variable. */
function claudeCode(env: Environment): string {
  const settings = Object.entries(variables(env)).map(
    ([name, value]) => `--env ${shellWord(`${name}=${value}`)}`,
  )
  const lines = ['claude mcp add wigwag --transport stdio', ...settings, `-- ${COMMAND.join(' ')}`]
  return lines.join(' \\\n  ')
}

/** The form that Claude Desktop introduced and Cursor took over. */
function mcpServers(env: Environment): string {
  const [command, ...args] = COMMAND
  return json({ mcpServers: { wigwag: { command, args, env: variables(env) } } })
}

/**
 * VS Code asks for the secrets once and keeps them itself. The file is often shared with the repository, so a secret
 * is never written into it, even when it is known.
 */
function vsCode(env: Environment): string {
  const [command, ...args] = COMMAND
  const secrets = required().filter((name) => REQUIRED[name].secret)
  const inputs = secrets.map((name) => ({
    type: 'promptString',
    id: inputId(name),
    description: `Wigwag ${REQUIRED[name].about}`,
    password: true,
  }))
  const asked = Object.fromEntries(secrets.map((name) => [name, `\${input:${inputId(name)}}`]))
  return json({
    inputs,
    servers: { wigwag: { type: 'stdio', command, args, env: { ...variables(env), ...asked } } },
  })
}

function variables(env: Environment): Record<string, string> {
  const needed = required().map((name) => [name, env[name] || REQUIRED[name].example])
  const limits = OPTIONAL.flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  return Object.fromEntries([...needed, ...limits])
}

function required(): Required[] {
  return Object.keys(REQUIRED) as Required[]
}

/** `WIGWAG_CLIENT_SECRET` → `wigwag-client-secret`. */
function inputId(name: Required): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** Nothing in a quoted word means anything to a POSIX shell; a plain word stays readable without quotes. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
