/**
 * docs/guides/other-languages.md: the programs in Python, PHP, Go and Java, by the commands of the page. Each sends through a
 * network that loses the first answer, and receives callbacks that are real, forged, old and signed twice. Missing
 * languages are installed with Debian's packages.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, signCallback } from '../../../packages/sdk/src/index.ts'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { type GatewayProcess, startGateway } from '../../../packages/server/test/support/gateway-process.ts'
import { type Block, readPage } from '../../test/operating/page.ts'
import { type Idea, row } from './idea.ts'
import { root } from './install.ts'
import { losesAnswer } from './network.ts'
import { Running } from './running.ts'

const LANGUAGES = [
  { what: 'Python', program: 'python3', asks: '--version', debian: 'python3-minimal' },
  { what: 'PHP', program: 'php', asks: '--version', debian: 'php-cli' },
  { what: 'Go', program: 'go', asks: 'version', debian: 'golang-go' },
  { what: 'Java', program: 'java', asks: '--version', debian: 'default-jdk-headless' },
]
const does = 'sends once, reads, takes callbacks and no forgery'
const FORGED = 'whsec_YSBzZWNyZXQgb2Ygc29tZWJvZHkgZWxzZQ=='

const PAGE = 'docs/guides/other-languages.md'
const { blocks } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const text = ({ text }: Block) => text.trim()
const receivers = blocks.filter(({ mark }) => mark === 'beside').map(text)
const [forge = '', ...senders] = blocks
  .filter(({ mark }) => mark === 'languages')
  .map(text)
  .toReversed()

export const languages: Idea = {
  files: {},
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'wigwag-languages-'))
    const gateway = await startGateway(folder)
    try {
      const rows = []
      for (const { what, program, asks, debian } of LANGUAGES) {
        const version = versionOf(program, asks) ?? afterInstall(debian, program, asks)
        const commands = [receivers, senders].map(
          (each) => each.find((one) => one.startsWith(`${program} `)) ?? '',
        )
        const [receive = '', send = ''] = commands
        rows.push(await row({ what, version, does }, () => tryBoth(gateway, receive, send)))
      }
      return rows
    } finally {
      await gateway.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** Undefined where there is no such program. */
function versionOf(program: string, asks: string): string | undefined {
  try {
    return /\d+(?:\.\d+)+/.exec(execFileSync(program, [asks], { encoding: 'utf8' }))?.[0]
  } catch {
    return undefined
  }
}

function afterInstall(debian: string, program: string, asks: string): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    const flags = ['-y', '-qq', '--no-install-recommends']
    execFileSync('apt-get', ['install', ...flags, debian], { env, stdio: 'ignore' })
  } catch {
    console.error(`Install what is missing: apt-get install ${debian}`)
  }
  return versionOf(program, asks) ?? 'missing'
}

async function tryBoth(gateway: GatewayProcess, receive: string, send: string): Promise<void> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/callbacks`
  await using network = await losesAnswer(gateway.exports.WIGWAG_BASE_URL ?? '', 1, 'drops')
  const env = {
    ...process.env,
    ...gateway.exports,
    WIGWAG_BASE_URL: network.url,
    CALLBACK_URL: address,
    PORT: String(port),
  }
  const moved = (command: string) => command.replaceAll('3000', String(port))
  const receiver = new Running(moved(receive), root, env)
  try {
    await receiver.listens(address)
    const sender = new Running(moved(send), root, env)
    const said = await sender.ended()
    expectEqual('the end of the sender', said.replace(/^\S+ /, '').trim(), 'success 0.042')
    const [ticket = ''] = said.split(' ')
    await receiver.says(`order-1042 ${ticket} success`)
    expectEqual('requests to send', network.keys.length, 2)
    expectEqual('idempotency keys', new Set(network.keys).size, 1)
    expectEqual('messages', await messagesOf(gateway, network.since), [ticket])
    expectEqual('answers to callbacks', await answersOf(address, gateway), ANSWERS)
    const forgery = new Running(moved(forge), root, env)
    expectEqual('the status of a forgery', (await forgery.ended()).trim(), '401')
  } finally {
    receiver.end()
  }
}

const ANSWERS = {
  real: 204,
  'with another signature before it': 204,
  'signed with another secret': 401,
  'with another body': 401,
  'six minutes old': 401,
  'six minutes ahead': 401,
  'without a time': 401,
  'of another version': 401,
  unsigned: 401,
}

/** The statuses with which a receiver answers. */
async function answersOf(address: string, { exports }: GatewayProcess): Promise<Record<string, number>> {
  const { WIGWAG_CALLBACK_SECRET: secret = '' } = exports
  const payload = { ClientReference: 'order-7', Ticket: 'a-ticket', Destination: '233241234567' }
  const body = JSON.stringify({ ...payload, Cost: 1, BalanceBefore: 2, BalanceAfter: 1, Status: 'success' })
  const now = Math.floor(Date.now() / 1000)
  const real = await signCallback(body, secret)
  const posts: Record<keyof typeof ANSWERS, Record<string, string>> = {
    real: { ...real },
    'with another signature before it': { ...(await signCallback(body, [FORGED, secret])) },
    'signed with another secret': { ...(await signCallback(body, FORGED)) },
    'with another body': { ...(await signCallback(`${body} `, secret)) },
    'six minutes old': { ...(await signCallback(body, secret, { timestamp: now - 360 })) },
    'six minutes ahead': { ...(await signCallback(body, secret, { timestamp: now + 360 })) },
    'without a time': { ...real, 'webhook-timestamp': 'now' },
    'of another version': { ...real, 'webhook-signature': real['webhook-signature'].replace('v1,', 'v2,') },
    unsigned: {},
  }
  const statuses = Object.entries(posts).map(async ([name, signed]) => {
    const headers = { 'content-type': 'application/json', ...signed }
    const { status } = await fetch(address, { method: 'POST', headers, body })
    return [name, status] as const
  })
  return Object.fromEntries(await Promise.all(statuses))
}

async function messagesOf({ exports }: GatewayProcess, DateFrom: Date): Promise<string[]> {
  const sms = createClient({
    baseUrl: exports.WIGWAG_BASE_URL,
    clientId: exports.WIGWAG_CLIENT_ID ?? '',
    clientSecret: exports.WIGWAG_CLIENT_SECRET ?? '',
    walletToken: exports.WIGWAG_WALLET_TOKEN ?? '',
  })
  const { Items } = await sms.searchMessages({ Reference: 'order-1042', DateFrom }).page()
  return Items.map(({ MessageId }) => MessageId)
}

function expectEqual(what: string, came: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(came), JSON.stringify(wanted)]
  if (is !== should) throw new Error(`Expected ${what} to be ${should}; got ${is}.`)
}
