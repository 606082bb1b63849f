import { isWebUrl, shownUrl } from '@wigwag/contract'

/** The command that starts the connector over stdio, anywhere. */
const PUBLISHED: Command = ['npx', '-y', '@wigwag/mcp']

/** The variables that the connector can't start without. Clients that can prompt for secrets do so. */
const REQUIRED = {
  WIGWAG_BASE_URL: { about: 'base URL of the gateway', example: 'https://gateway.example', secret: false },
  WIGWAG_CLIENT_ID: { about: 'client ID', example: 'YOUR_CLIENT_ID', secret: false },
  WIGWAG_CLIENT_SECRET: { about: 'client secret', example: 'YOUR_CLIENT_SECRET', secret: true },
  WIGWAG_WALLET_TOKEN: { about: 'wallet token', example: 'YOUR_WALLET_TOKEN', secret: true },
} as const
type Required = keyof typeof REQUIRED

/** Printed with this value if it is not set: without it, the connector only reads. */
const SPEND = { name: 'WIGWAG_MCP_DAILY_SPEND', usual: '5' }

/** The other limits, the choices and the file of the journal: copied into the configuration if they are set. */
const OPTIONAL = [
  'WIGWAG_MCP_DAILY_MESSAGES',
  'WIGWAG_MCP_RECIPIENTS',
  'WIGWAG_MCP_UNASKED',
  'WIGWAG_MCP_STATE',
] as const

export type Environment = Readonly<Record<string, string | undefined>>
export type Command = readonly [string, ...string[]]

/** The connector as a client starts it. */
interface Program {
  env: Environment
  command: Command
}

/** Writes for one client: for starting the connector, or for signing in at one that runs elsewhere. */
interface Writers {
  start(program: Program): string
  signIn(url: string): string
}

/** The commands, and the texts of files and forms. */
const snippets = new Map<string, Writers>([
  [
    'claude-code',
    { start: claudeCode, signIn: (url) => `claude mcp add --transport http wigwag ${shellWord(url)}` },
  ],
  // Its file lists only servers that it starts itself. For others, it has a form that asks for the address.
  ['claude-desktop', { start: (program) => mcpServers(started(program)), signIn: (url) => url }],
  ['cursor', { start: (program) => mcpServers(started(program)), signIn: (url) => mcpServers({ url }) }],
  [
    'vscode',
    {
      start(program) {
        const { inputs, ...server } = startedByVsCode(program)
        return json({ inputs, servers: { wigwag: server } })
      },
      signIn: (url) => json({ servers: { wigwag: { type: 'http', url } } }),
    },
  ],
])

/** The links of those that add a server from a link. They never contain a secret, since links are kept and shared. */
const links = new Map<string, Writers>([
  [
    'cursor',
    {
      start: (program) => cursorLink(started(withoutSecrets(program))),
      signIn: (url) => cursorLink({ url }),
    },
  ],
  [
    'vscode',
    {
      start: (program) => vsCodeLink(startedByVsCode(program)),
      signIn: (url) => vsCodeLink({ type: 'http', url }),
    },
  ],
])

/**
 * The configuration with which a client starts the connector: a command for Claude Code, or the text of
 * `claude_desktop_config.json`, `~/.cursor/mcp.json` or `.vscode/mcp.json`. Values missing in `env` become placeholders.
 * `command` starts it where it is not the published package.
 */
export function configSnippet(client: string, env: Environment, command = PUBLISHED): string {
  return startBy(writersFor(client, snippets, ''), { env, command })
}

/**
 * The configuration with which a client signs in at a connector over HTTP: a command or the text of a file, as above, or
 * for Claude Desktop the address to enter in its form for connectors.
 */
export function remoteSnippet(client: string, url: string): string {
  return signInBy(writersFor(client, snippets, ''), url)
}

/** The link that adds the same to a client as {@link configSnippet}, except for secrets, which the client asks for. */
export function configLink(client: string, env: Environment, command = PUBLISHED): string {
  return startBy(writersFor(client, links, ' with --link'), { env, command })
}

/** The link that adds the same to a client as {@link remoteSnippet}. */
export function remoteLink(client: string, url: string): string {
  return signInBy(writersFor(client, links, ' with --link'), url)
}

function startBy({ start }: Writers, program: Program): string {
  const { WIGWAG_BASE_URL: baseUrl } = program.env
  if (!baseUrl || isWebUrl(baseUrl)) return start(program)
  throw wrongUrl('WIGWAG_BASE_URL', 'https://gateway.example', baseUrl)
}

function signInBy({ signIn }: Writers, url: string): string {
  if (isWebUrl(url)) return signIn(new URL(url).href)
  throw wrongUrl('--url', 'https://sms.example.com/mcp', url)
}

function wrongUrl(name: string, example: string, url: string): Error {
  return new Error(
    `Expected ${name} to be a URL such as ${example}, without user name and password; got '${shownUrl(url)}'.`,
  )
}

function writersFor(client: string, writers: ReadonlyMap<string, Writers>, when: string): Writers {
  const found = writers.get(client)
  if (found) return found
  throw new Error(`Expected --client to be one of ${[...writers.keys()].join(', ')}${when}; got '${client}'.`)
}

/** The name comes before `--env`, which would read it as another variable. */
function claudeCode({ env, command }: Program): string {
  const settings = Object.entries(variables(env)).map(
    ([name, value]) => `--env ${shellWord(`${name}=${value}`)}`,
  )
  const lines = [
    'claude mcp add wigwag --transport stdio',
    ...settings,
    `-- ${command.map(shellWord).join(' ')}`,
  ]
  return lines.join(' \\\n  ')
}

/** The format of Claude Desktop, which Cursor also uses. */
function mcpServers(wigwag: object): string {
  return json({ mcpServers: { wigwag } })
}

function started({ env, command: [command, ...args] }: Program) {
  return { command, args, env: variables(env) }
}

/**
 * VS Code prompts for the secrets once and stores them itself. The file is often committed to a repository, so it never
 * contains a secret, even when it is known.
 */
function startedByVsCode(program: Program) {
  const inputs = secrets().map((name) => ({
    type: 'promptString',
    id: inputId(name),
    description: `Wigwag ${REQUIRED[name].about}`,
    password: true,
  }))
  const asked = Object.fromEntries(secrets().map((name) => [name, `\${input:${inputId(name)}}`]))
  const { command, args, env: known } = started(program)
  return { inputs, type: 'stdio', command, args, env: { ...known, ...asked } }
}

/** Cursor asks before it adds a server, and lets the person replace the placeholders. */
function cursorLink(server: object): string {
  const config = Buffer.from(JSON.stringify(server)).toString('base64')
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=wigwag&config=${encodeURIComponent(config)}`
}

/** VS Code decodes the query twice, so a percent sign must not be left in it. */
function vsCodeLink(server: object): string {
  const config = JSON.stringify({ name: 'wigwag', ...server }).replaceAll('%', '\\u0025')
  return `vscode:mcp/install?${encodeURIComponent(config)}`
}

function withoutSecrets({ env, command }: Program): Program {
  return { env: { ...env, ...Object.fromEntries(secrets().map((name) => [name, undefined])) }, command }
}

function variables(env: Environment): Record<string, string> {
  const needed = required().map((name) => [name, env[name] || REQUIRED[name].example])
  const limits = OPTIONAL.flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  return Object.fromEntries([...needed, [SPEND.name, env[SPEND.name] || SPEND.usual], ...limits])
}

function required(): Required[] {
  return Object.keys(REQUIRED) as Required[]
}

function secrets(): Required[] {
  return required().filter((name) => REQUIRED[name].secret)
}

/** `WIGWAG_CLIENT_SECRET` → `wigwag-client-secret`. */
function inputId(name: Required): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** Quotes a word for a POSIX shell, unless it is safe without quotes. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
