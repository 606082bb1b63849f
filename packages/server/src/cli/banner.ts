import type { Config } from '../config.ts'
import { isLoopbackHost } from '../domain/loopback.ts'
import { shownUrl } from '../domain/web-url.ts'
import { DEMO_EMAIL, DEMO_SENDER, type DemoSecrets } from '../gateway/demo.ts'

export interface BannerOptions {
  url: string
  metricsUrl: string | undefined
  /** Where people sign in, if they can. */
  signInUrl: string | undefined
  config: Config
  demo: DemoSecrets | undefined
}

/** A number of the demo's own country that the simulator delivers to. */
const DEMO_RECIPIENT = '233241234567'

/** What a person reads when the gateway is up: where it is, what it runs on, and something to paste. */
export function banner({ url, metricsUrl, signInUrl, config, demo }: BannerOptions): string {
  const lines = [
    ...openSandbox(config),
    `Wigwag is listening on ${url}`,
    '',
    `  environment   ${config.environment}`,
    `  database      ${shownDatabase(config.database)}`,
    `  API reference ${url}/docs`,
    `  assistants    ${signInUrl ? `${signInUrl}/mcp` : 'nobody can sign in: set WIGWAG_PUBLIC_URL'}`,
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
      : [
          `Sign in to the portal at ${url}/connections with ${DEMO_EMAIL} and the password ${demo.password}`,
          '',
        ]),
    'Stop with Ctrl-C.',
  ].join('\n')}\n`
}

/** A password may stand before the host, or among the parameters behind it. */
function shownDatabase(url: string): string {
  return url.includes('://') ? shownUrl(url.replace(/\?.*$/s, '')) : url
}

/** A sandbox limits no requests, and calls addresses of this machine. */
function openSandbox({ environment, host }: Config): string[] {
  if (environment !== 'sandbox' || isLoopbackHost(host)) return []
  return [
    '*** WARNING: this sandbox listens beyond this machine ***',
    `WIGWAG_HOST is ${host}, and a sandbox is not made to be reached by others: it sets no limits on requests, and`,
    'its callbacks may go to programs on this machine. Use 127.0.0.1, or WIGWAG_ENV=production.',
    '',
  ]
}
