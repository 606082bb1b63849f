import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { UsageError } from './command-line.ts'
import { configSnippet, type Environment, remoteSnippet } from './config-snippet.ts'
import { log } from './log.ts'
import { serve } from './serve.ts'
import { readSettings } from './settings.ts'

const HELP = `Usage: wigwag-mcp [options]
       wigwag-mcp config --client claude-code|claude-desktop|cursor|vscode [--url <address>]

Gives an AI assistant ten tools over a Wigwag gateway, over standard input and output.
The gateway and its credentials are WIGWAG_BASE_URL, WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET
and WIGWAG_WALLET_TOKEN in the environment.

  --read-only             only the tools that read
  --daily-spend <amount>  at most this much a day, in UTC         WIGWAG_MCP_DAILY_SPEND
  --daily-messages <n>    at most this many messages a day        WIGWAG_MCP_DAILY_MESSAGES
  --recipients <list>     only to these: 233241234567,23320*      WIGWAG_MCP_RECIPIENTS
  --state <file>          where sends are counted                 WIGWAG_MCP_STATE

  --http --unprotected    serve /mcp on this machine instead, without sign-in
  --http --public-url <address>
                          serve it to whoever signs in at the gateway, WIGWAG_BASE_URL; the address is
                          such as https://mcp.example.com/mcp, and 'wigwag connector add' gives the
                          WIGWAG_CONNECTOR_ID and WIGWAG_CONNECTOR_SECRET of it
  --host, --port          where to listen; 127.0.0.1 and 8081 unless given

config prints what a host of assistants needs to start the connector, or, with --url, to sign in at one.

Exit code: 0 done, 1 failed, 2 wrong usage.
`

/** Runs one command line, and says how to exit: 0 done, 1 failed, 2 usage. */
export async function run(args: readonly string[], env: Environment): Promise<number> {
  // A host that does not read what is said here must not end a send half-way.
  process.stderr.on('error', () => {})
  try {
    if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
    else if (args.includes('--version')) process.stdout.write(`${packageJson.version}\n`)
    else if (args[0] === 'config') process.stdout.write(`${snippet(args.slice(1), env)}\n`)
    else await serve(readSettings(args, env))
    return 0
  } catch (error) {
    log(error instanceof Error ? error.message : String(error))
    if (!(error instanceof UsageError)) return 1
    log('wigwag-mcp --help shows what there is')
    return 2
  }
}

function snippet(args: readonly string[], env: Environment): string {
  try {
    const options = { client: { type: 'string' }, url: { type: 'string' } } as const
    const { client = '', url } = parseArgs({ args: [...args], options }).values
    return url === undefined ? configSnippet(client, env) : remoteSnippet(client, url)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
