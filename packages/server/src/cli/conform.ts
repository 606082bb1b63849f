/** Commands that try a server: as its clients do, and as an assistant does. */

import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { type Micros, recipientDigits, toDecimal } from '@wigwag/contract'
import { Command, InvalidArgumentError, Option } from 'commander'
import { systemClock } from '../kernel/process/clock.ts'
import { amount, port, seconds, webUrl } from './arguments.ts'
import { commandProcess, stopSignal } from './command-process.ts'
import { listenFailure } from './failure.ts'
import { baseUrlOf, clientSettings, credentialsOf } from './messages/gateway-client.ts'
import { counted, Failed, findingLine, type OutputFlags, output, print, say, withJson } from './terminal.ts'

interface ConformFlags extends OutputFlags {
  to: string[]
  from: string
  spend: Micros
  callbackUrl?: string
  callbackPort: number
  callbackHost: string
  mcp?: string
  signIn?: true
  openapi?: string
  postman?: string
  timeout: number
  wait: number
  junit?: string
}

const AFTER_HELP = `
It sends up to eight messages to the given numbers. The credentials come from
WIGWAG_CLIENT_ID, WIGWAG_CLIENT_SECRET and WIGWAG_WALLET_TOKEN. Signatures are
checked with WIGWAG_CALLBACK_SECRET, and the tools for assistants with an access
token in WIGWAG_CONNECTOR_TOKEN.

Each check is a must (the specification says it) or a may (it is left open, and a
gateway of ours does it). What could not be tried is "not tried", and says why.

Exit code: 0 no must failed, 1 one did or no server answered, 2 wrong usage.`

export function conformCommand(): Command {
  const command = new Command('conform')
    .description('Try a server against the specification: any server, not only this one.')
    .argument('[url]', 'the address of its API (WIGWAG_BASE_URL, default http://127.0.0.1:8080)', webUrl)
    .requiredOption('--to <number>', 'a number that messages may go to (repeatable)', recipients)
    .option('--from <sender>', 'a sender name of the account', 'WIGWAG')
    .addOption(
      new Option('--spend <amount>', 'the most that the messages may cost')
        .argParser(amount)
        .default(amount('1'), '1'),
    )
    .option('--callback-url <url>', 'where the server reaches this program', webUrl)
    .option('--callback-port <number>', 'the port to take callbacks on; 0 picks a free one', port, 0)
    .option('--callback-host <address>', 'the address to take callbacks on', '127.0.0.1')
    .option('--mcp <url>', 'what assistants are given (default <url>/mcp)', webUrl)
    .option('--sign-in', 'let a person sign in for the tools, in a browser')
    .option(
      '--openapi <place>',
      'URL or file of the OpenAPI description, as JSON (default <url>/openapi.json)',
    )
    .option('--postman <place>', 'URL or file of the Postman collection')
    .option('--timeout <seconds>', 'how long one answer may take', seconds, 30)
    .option('--wait <seconds>', 'how long a final status, and then a callback, may take', seconds, 60)
    .option('--junit <file>', 'also write the outcomes as JUnit XML')
    .addHelpText('after', AFTER_HELP)
  return withJson(command).action(tryServer)
}

/** Parses an option that may be given several times. Another server may take numbers that ours would not. */
function recipients(text: string, before: readonly string[] = []): string[] {
  const digits = recipientDigits(text)
  if (/^[1-9]\d{4,14}$/.test(digits)) return [...before, digits]
  throw new InvalidArgumentError('Expected a number in digits with country code, such as 233241234567.')
}

async function tryServer(address: string | undefined, flags: ConformFlags): Promise<void> {
  const settings = clientSettings(address === undefined ? {} : { url: address })
  const url = baseUrlOf(settings)
  const credentials = credentialsOf(settings)
  // The libraries that it needs are large, and its help text does without them.
  const { CannotTry, conform, failureOf, junit, plan, rowOf, summary } = await import('@wigwag/conform')
  const width = Math.max(...plan.flatMap(({ checks }) => checks.map(({ id }) => id.length)))
  const stop = new AbortController()
  void stopSignal().then(() => stop.abort())
  const callback = { host: flags.callbackHost, port: flags.callbackPort, publicUrl: flags.callbackUrl }
  const { outcomes, messages } = await conform({
    url,
    credentials,
    to: flags.to,
    from: flags.from,
    spend: toDecimal(flags.spend),
    callbackSecret: settings.get('WIGWAG_CALLBACK_SECRET'),
    timeoutMs: flags.timeout * 1_000,
    waitMs: flags.wait * 1_000,
    callback,
    mcp: flags.mcp,
    mcpToken: connectorToken(),
    invite: flags.signIn && invite,
    openapi: flags.openapi,
    postman: flags.postman,
    fetch,
    clock: commandProcess().clock ?? systemClock,
    stopped: stop.signal,
    onPart(heading) {
      if (!flags.json) print(`\n${heading}`)
    },
    onOutcome(outcome) {
      if (!flags.json) print(rowOf(outcome, width))
    },
  }).catch((error: unknown) => {
    if (error instanceof CannotTry) throw new Failed(error.message)
    throw listenFailure(error, callback, '--callback-port')
  })
  const failure = failureOf(outcomes, url)
  if (flags.junit !== undefined) await write(flags.junit, junit(outcomes, url))
  output(flags, { url, ok: failure === undefined, messages, checks: outcomes }, `\n${summary(outcomes)}`)
  say(`${counted(messages, 'message')} accepted.`)
  if (stop.signal.aborted) throw new Failed('stopped before every check was made')
  if (failure !== undefined) throw new Failed(failure)
}

function invite(url: string): void {
  say(`Sign in and allow the connection in a browser:\n\n  ${url}\n`)
  showInBrowser(url)
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new Failed(`${file} can't be written: ${error instanceof Error ? error.message : error}`)
  })
}

interface CheckFlags extends OutputFlags {
  browser: boolean
  timeout: number
}

const CONNECTOR_HELP = `
It finds out where to sign in, opens a browser, reads the tools and the balance,
and ends the connection that it made. It sends nothing and changes nothing else.

With an access token in WIGWAG_CONNECTOR_TOKEN it does not sign in.

Exit code: 0 all is well, 1 something is wrong, 2 wrong usage.`

export function connectorCheckCommand(): Command {
  const command = new Command('check')
    .description('Use a connector as an assistant would, and say what is wrong and where.')
    .argument('<address>', 'what assistants are given, such as https://sms.example.com/mcp', webUrl)
    .option('--no-browser', 'only print the address to sign in at')
    .option('--timeout <seconds>', 'how long to wait for the sign-in', seconds, 300)
    .addHelpText('after', CONNECTOR_HELP)
  return withJson(command).action(check)
}

async function check(address: string, flags: CheckFlags): Promise<void> {
  // The library of the protocol is large, and no other command needs it.
  const { checkConnector, CONNECTOR_CHECKS } = await import('@wigwag/conform')
  const width = Math.max(...CONNECTOR_CHECKS.map((name) => name.length))
  const stop = new AbortController()
  void stopSignal().then(() => stop.abort())
  const checked = await checkConnector({
    url: new URL(address).href,
    token: connectorToken(),
    timeoutMs: flags.timeout * 1_000,
    fetch,
    invite(url) {
      say(`Sign in and allow the check in a browser:\n\n  ${url}\n`)
      if (flags.browser) showInBrowser(url)
    },
    onFinding(finding) {
      if (!flags.json) print(findingLine(finding, width))
    },
    stopped: stop.signal,
  })
  output(flags, checked, '')
  const failed = checked.findings.filter(({ state }) => state === 'fail').length
  if (failed > 0) throw new Failed(`${counted(failed, 'check')} failed for ${checked.url}`)
  say(`An assistant can use ${checked.url}. ${checked.maySend ? 'It may send.' : 'It may only read.'}`)
}

/** A token from an earlier sign-in. */
function connectorToken(): string | undefined {
  return commandProcess().env.WIGWAG_CONNECTOR_TOKEN || undefined
}

function showInBrowser(url: string): void {
  openBrowser(url, { platform: process.platform, env: commandProcess().env })
}

export interface Desktop {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
}

/** Opens the browser of the person, if there seems to be one. Failures are ignored: the address was printed as well. */
function openBrowser(url: string, desktop: Desktop): void {
  const [program, ...args] = openerOf(desktop)
  if (program === undefined) return
  const child = spawn(program, [...args, url], { env: desktop.env, stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** The program that opens an address, and what precedes the address. No shell is involved: the address is a stranger's. */
function openerOf({ platform, env }: Desktop): readonly string[] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  // Without a desktop, xdg-open would start a browser of text in this terminal.
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : []
}
