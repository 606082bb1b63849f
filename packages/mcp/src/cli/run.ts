import { realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import {
  type Command,
  configLink,
  configSnippet,
  type Environment,
  remoteLink,
  remoteSnippet,
} from '../config-snippet.ts'
import { log, UsageError } from './command-line.ts'
import { readSettings } from './settings.ts'

const HELP = `Usage: wigwag-mcp [options]
       wigwag-mcp config --client claude-code|claude-desktop|cursor|vscode [--url <address>] [--link]

Serves ten tools for a Wigwag gateway to an AI assistant, over standard input and output.
Reads the gateway and the credentials from the environment: WIGWAG_BASE_URL, WIGWAG_CLIENT_ID,
WIGWAG_CLIENT_SECRET and WIGWAG_WALLET_TOKEN.

  --read-only             serve only the tools that read
  --daily-spend <amount>  spend at most this much a day, in UTC   WIGWAG_MCP_DAILY_SPEND
                          without it, only the tools that read; 'unlimited' sets no limit
  --daily-messages <n>    send at most this many messages a day   WIGWAG_MCP_DAILY_MESSAGES
  --recipients <list>     send only to 233241234567,23320*        WIGWAG_MCP_RECIPIENTS
  --unasked <what>        send (by default) or refuse, where you  WIGWAG_MCP_UNASKED
                          can't be asked to confirm a send
  --state <file>          count sends in this file                WIGWAG_MCP_STATE

  --http --unprotected    serve http://127.0.0.1:8083/mcp instead, to this machine only, without sign-in
  --http --public-url <address>
                          serve everyone who signs in at the gateway WIGWAG_BASE_URL; the address is the
                          public one, such as https://mcp.example.com/mcp. Needs WIGWAG_CONNECTOR_ID and
                          WIGWAG_CONNECTOR_SECRET, which 'wigwag connector add' prints at the gateway
  --host, --port          where to listen; the default is 127.0.0.1 and 8083

config prints the settings that a client needs to start the connector, or, with --url, to sign in at one.
With --link it prints a link that adds them to Cursor or VS Code, without secrets.

Exit code: 0 done, 1 failed, 2 wrong usage.
`

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(args: readonly string[], env: Environment): Promise<number> {
  // If the client has closed this stream, writing to it must not interrupt a send.
  process.stderr.on('error', () => {})
  try {
    if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
    else if (args.includes('--version')) process.stdout.write(`${packageJson.version}\n`)
    else if (args[0] === 'config') process.stdout.write(`${snippet(args.slice(1), env)}\n`)
    else {
      const settings = readSettings(args, env)
      // Loaded last: help and usage errors need not wait for the protocol.
      const { serve } = await import('./serve.ts')
      await serve(settings)
    }
    return 0
  } catch (error) {
    log(error instanceof Error ? error.message : String(error))
    if (!(error instanceof UsageError)) return 1
    log('run wigwag-mcp --help to see the options')
    return 2
  }
}

function snippet(args: readonly string[], env: Environment): string {
  try {
    const options = {
      client: { type: 'string' },
      url: { type: 'string' },
      link: { type: 'boolean' },
    } as const
    const { client = '', url, link } = parseArgs({ args: [...args], options }).values
    if (url !== undefined) return link ? remoteLink(client, url) : remoteSnippet(client, url)
    return link ? configLink(client, env, ownCommand()) : configSnippet(client, env, ownCommand())
  } catch (error) {
    const limit = LIMITS.find((flag) => args.some((word) => word.split('=')[0] === `--${flag}`))
    if (limit) {
      const variable = `WIGWAG_MCP_${limit.toUpperCase().replace('-', '_')}`
      throw new UsageError(
        `config takes the limits from the environment: set ${variable} in place of --${limit}.`,
      )
    }
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Options with an environment variable, which config writes into the configuration. */
const LIMITS = ['daily-spend', 'daily-messages', 'recipients', 'unasked', 'state']

/** In a clone, this very program: no client would find it by the name of its package. */
function ownCommand(): Command | undefined {
  const program = realpathSync(process.argv[1] ?? '')
  return program.includes(`${sep}node_modules${sep}`) ? undefined : [process.execPath, program]
}
