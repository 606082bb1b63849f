import { isLoopbackHost, shownUrl } from '@wigwag/contract'
import type { Config } from '../../config/config.ts'
import { type Environment, names, nonEmpty, readEnvFile } from '../../config/setting-values.ts'
import type { Greeting } from '../../gateway/processes/messages.ts'
import { type Logger, openLog } from '../../kernel/process/log.ts'
import { DEMO_EMAIL, DEMO_SENDER, type DemoSecrets } from '../../sandbox/index.ts'
import { commandProcess } from '../command-process.ts'
import { describeFailure, FailedInLog } from '../failure.ts'
import { say } from '../terminal.ts'

/** Whether programs read what this process says: then it is log lines of JSON, and nothing else. */
export function isForPrograms(environment: string | undefined): boolean {
  return environment === 'production' && !commandProcess().stderr.isTTY
}

const NO_SIGN_IN = 'no one can sign in: set WIGWAG_PUBLIC_URL'

/** Says what a start has to say. */
export function greet({ banner, facts, warnings }: Greeting, config: Config, log: Logger): void {
  for (const warning of warnings) log.warn(warning)
  if (!isForPrograms(config.environment)) {
    say(banner)
    return
  }
  if (facts.console === undefined) log.warn(NO_SIGN_IN)
  alwaysLogging(log).info(facts, `Wigwag is listening on ${facts.url}`)
}

export function sayStopping({ environment }: Config, log: Logger): void {
  if (isForPrograms(environment)) alwaysLogging(log).info('Stopping …')
  else say('Stopping …')
}

/** For a start that failed: where programs read the log, it is said there, so that each line of it is JSON. */
export async function asServeFailure(error: unknown, number: number | undefined): Promise<unknown> {
  const { env, stderr } = commandProcess()
  if (!isForPrograms(environmentIn(env))) return error
  const { message, exitCode } = describeFailure(error)
  const log = await openLog('fatal', stderr, number)
  log.fatal({ exitCode }, message)
  return new FailedInLog(exitCode)
}

/** Known even where other settings are wrong. */
function environmentIn(env: Environment): string | undefined {
  const { env: name } = names
  try {
    return nonEmpty(env[name]) ?? readEnvFile('.env')[name]
  } catch {
    return undefined
  }
}

/** A start and a stop are said whatever the level of the log is. */
function alwaysLogging(log: Logger): Logger {
  return log.child({}, { level: 'info' })
}

/** The content of the banner, for a line of the log, without the parts that the gateway does not have. */
export function factsOf({ url, metricsUrl, deskUrl, signInUrl, config }: Started): Greeting['facts'] {
  return {
    url,
    console: signInUrl && `${signInUrl}/`,
    operators: deskUrl && `${deskUrl}/`,
    environment: config.environment,
    database: shownDatabase(config.database),
    processes: config.processes,
    reference: `${url}/docs`,
    assistants: signInUrl && `${signInUrl}/mcp`,
    metrics: metricsUrl && `${metricsUrl}/metrics`,
  }
}

/** A gateway that has started. */
interface Started {
  url: string
  metricsUrl: string | undefined
  /** The address of the operators' desk, if there is one. */
  deskUrl?: string | undefined
  /** The address where people sign in, if it is known. */
  signInUrl: string | undefined
  /** The warning that carriers are simulated in production. */
  simulated: string | undefined
  config: Config
  demo: DemoSecrets | undefined
}

/** A number in the demo account's country that the simulator delivers to. */
const DEMO_RECIPIENT = '233241234567'

/** The text shown when the gateway has started: its addresses, its settings and a command to try. */
export function banner({ url, metricsUrl, deskUrl, signInUrl, simulated, config, demo }: Started): string {
  const lines = [
    ...openSandbox(config),
    ...(simulated ? [`*** ${simulated} ***`, ''] : []),
    `Wigwag is listening on ${url}`,
    '',
    `  console       ${signInUrl ? `${signInUrl}/` : NO_SIGN_IN}`,
    ...(deskUrl ? [`  operators     ${deskUrl}/`] : []),
    `  environment   ${config.environment}`,
    `  database      ${shownDatabase(config.database)}`,
    ...(config.processes > 1 ? [`  processes     ${config.processes}`] : []),
    `  API reference ${url}/docs`,
    `  assistants    ${signInUrl ? `${signInUrl}/mcp` : NO_SIGN_IN}`,
    ...(metricsUrl ? [`  metrics       ${metricsUrl}/metrics`] : []),
  ]
  if (!demo) return `${lines.join('\n')}\n`
  return `${[
    ...lines,
    '',
    'The demo account, for the SDK, the examples and the commands (the same at every start on this database):',
    '',
    `export WIGWAG_BASE_URL=${url}`,
    `export WIGWAG_CLIENT_ID=${demo.clientId}`,
    `export WIGWAG_CLIENT_SECRET=${demo.clientSecret}`,
    `export WIGWAG_WALLET_TOKEN=${demo.walletToken}`,
    `export WIGWAG_FROM=${DEMO_SENDER}`,
    `export WIGWAG_CALLBACK_SECRET=${demo.callbackSecret}`,
    '',
    'Send a message:',
    '',
    `curl ${url}/v1/messages/sms \\`,
    `  -u ${demo.clientId}:${demo.clientSecret} \\`,
    `  -H 'X-Wallet: Token ${demo.walletToken}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"From":"${DEMO_SENDER}","To":"${DEMO_RECIPIENT}","Content":"Hello from Wigwag"}'`,
    '',
    ...(demo.password === undefined
      ? []
      : [`Sign in to the console at ${url}/ with ${DEMO_EMAIL} and the password ${demo.password}`, '']),
    'Stop with Ctrl-C.',
  ].join('\n')}\n`
}

/** The database's URL without its password, which may be before the host or among the parameters. */
function shownDatabase(url: string): string {
  return url.includes('://') ? shownUrl(url.replace(/\?.*$/s, '')) : url
}

/** Warns if the sandbox is reachable from other machines: it has no rate limits and calls loopback addresses. */
function openSandbox({ environment, host }: Config): string[] {
  if (environment !== 'sandbox' || isLoopbackHost(host)) return []
  return [
    '*** WARNING: other machines can reach this sandbox ***',
    `WIGWAG_HOST is ${host}, but a sandbox is not meant for others: it has no rate limits, and its callbacks may`,
    'go to programs on this machine. Use 127.0.0.1, or WIGWAG_ENV=production.',
    '',
  ]
}
