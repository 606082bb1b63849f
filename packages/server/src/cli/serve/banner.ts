import { isLoopbackHost, shownUrl } from '@wigwag/contract'
import type { Config } from '../../config.ts'
import { DEMO_EMAIL, DEMO_SENDER, type DemoSecrets } from '../../sandbox/index.ts'

export interface BannerOptions {
  url: string
  metricsUrl: string | undefined
  /** The address of the operators' desk, if there is one. */
  deskUrl?: string | undefined
  /** The address where people sign in, if it is known. */
  signInUrl: string | undefined
  /** What to say when production sends nothing. */
  simulated: string | undefined
  config: Config
  demo: DemoSecrets | undefined
}

/** A number in the demo account's country that the simulator delivers to. */
const DEMO_RECIPIENT = '233241234567'

/** The text shown when the gateway has started: its addresses, its settings and a command to try. */
export function banner({
  url,
  metricsUrl,
  deskUrl,
  signInUrl,
  simulated,
  config,
  demo,
}: BannerOptions): string {
  const lines = [
    ...openSandbox(config),
    ...(simulated ? [`*** ${simulated} ***`, ''] : []),
    `Wigwag is listening on ${url}`,
    '',
    `  console       ${signInUrl ? `${signInUrl}/` : 'no one can sign in: set WIGWAG_PUBLIC_URL'}`,
    ...(deskUrl ? [`  operators     ${deskUrl}/`] : []),
    `  environment   ${config.environment}`,
    `  database      ${shownDatabase(config.database)}`,
    `  API reference ${url}/docs`,
    `  assistants    ${signInUrl ? `${signInUrl}/mcp` : 'no one can sign in: set WIGWAG_PUBLIC_URL'}`,
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
