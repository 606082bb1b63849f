import { join } from 'node:path'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { createMovedClock, type MovedClock } from '../../src/testing/clock.ts'
import { eventually } from '../support/eventually.ts'
import { type Ended, type RunOptions, runProgram, startProgram } from './program.ts'

export interface RunningGateway {
  database: string
  url: string
  /** Runs an operator's command on the gateway's database. */
  operate(args: readonly string[], options?: Partial<RunOptions>): Promise<Ended>
  /** Makes an account with 100 GHS and the sender ACME. */
  createAccount(email: string, ...more: string[]): Promise<AccountSecrets>
  /** Runs a developer's command with an account's credentials. */
  develop(account: AccountSecrets, args: readonly string[]): Promise<Ended>
  /** The environment for a program of the developer. */
  environmentOf(account: AccountSecrets): Record<string, string>
  /** Sends a message over HTTP. */
  send(account: AccountSecrets, changes?: Record<string, string>): Promise<Response>
  balanceOf(account: AccountSecrets): Promise<number>
  /** Looks again and again until there is something to see; each look moves a moved clock by a second. */
  until: typeof eventually
  /** Tells the gateway to read its carriers again, as an init system does. */
  hangUp(): void
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>
  /** Asks over HTTP until a message is final. */
  finalOf(account: AccountSecrets, ticket: string): Promise<Record<string, unknown>>
  /** The cost of a message that is sent now. */
  costOf(account: AccountSecrets): Promise<unknown>
}

/** Starts a gateway in a process of its own, on an empty database. It ends with the temporary folder. */
export async function startGateway(
  folder: string,
  database = `file:${join(folder, 'gateway.db')}`,
  env: Record<string, string> = {},
  clock?: MovedClock,
): Promise<RunningGateway> {
  const serving = startProgram(['serve', '--port', '0', '--database', database], {
    cwd: folder,
    env: { WIGWAG_SIMULATOR_DELAY_MS: '50', ...env },
    clock,
  })
  const pass = (ms: number) => clock?.moveTo(epochMs(clock.now() + ms))
  const until: RunningGateway['until'] = (what, look, withinMs) => {
    let looks = 0
    return eventually(
      what,
      () => {
        if (looks++ > 0) pass(1_000)
        return look()
      },
      withinMs,
    )
  }
  const url = await eventually('it listens', () => {
    if (serving.child.exitCode !== null) throw new Error(serving.stderr())
    return /listening on ([^\s"]+)/.exec(serving.stderr())?.[1]
  })

  const operate: RunningGateway['operate'] = (args, options) => {
    // Each command is later than the one before: what two of them write in one millisecond has no order.
    pass(1)
    return runProgram([...args, '--database', database], {
      cwd: folder,
      clock,
      ...options,
      env: { ...env, ...options?.env },
    })
  }

  const environmentOf = ({ clientId, clientSecret, walletToken }: AccountSecrets) => ({
    WIGWAG_BASE_URL: url,
    WIGWAG_CLIENT_ID: clientId,
    WIGWAG_CLIENT_SECRET: clientSecret,
    WIGWAG_WALLET_TOKEN: walletToken,
  })

  const headersOf = ({ clientId, clientSecret, walletToken }: AccountSecrets) => ({
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    'x-wallet': `Token ${walletToken}`,
    'content-type': 'application/json',
  })

  const onPostgres = database.startsWith('postgres')

  /** Asks again where PostgreSQL is too slow for a moment: the gateway has refused the request then, and done nothing. */
  const answerTo = (path: string, init: RequestInit): Promise<Response> =>
    eventually('the gateway answers', async () => {
      const response = await fetch(`${url}${path}`, init)
      return (!onPostgres || response.status !== 503) && response
    })

  const send: RunningGateway['send'] = (account, changes = {}) =>
    answerTo('/v1/messages/sms', {
      method: 'POST',
      headers: headersOf(account),
      body: JSON.stringify({ From: 'ACME', To: '233241234567', Content: 'Hello', ...changes }),
    })

  const finalOf: RunningGateway['finalOf'] = (account, ticket) =>
    until('the message is final', async () => {
      const response = await answerTo(`/v1/transactions/${ticket}/status`, { headers: headersOf(account) })
      if (!response.ok) throw new Error(await response.text())
      const record = (await response.json()) as Record<string, unknown>
      return record.Status === 'pending' ? undefined : record
    })

  return {
    database,
    url,
    operate,
    until,
    environmentOf,
    async createAccount(email, ...more) {
      const start = ['account', 'create', '--name', 'Acme', '--email', email, '--balance', '100']
      const made = await operate([...start, '--sender', 'ACME', '--json', ...more])
      if (made.code !== 0) throw new Error(made.stderr)
      return JSON.parse(made.stdout) as AccountSecrets
    },
    develop: (account, args) => runProgram(args, { cwd: folder, env: environmentOf(account), clock }),
    send,
    async balanceOf(account) {
      const response = await answerTo('/v1/account/balance', { headers: headersOf(account) })
      return ((await response.json()) as { balance: number }).balance
    },
    async stop() {
      serving.child.kill('SIGTERM')
      await serving.ended
    },
    hangUp: () => void serving.child.kill('SIGHUP'),
    finalOf,
    async costOf(account) {
      const { Ticket } = (await (await send(account)).json()) as { Ticket: string }
      return (await finalOf(account, Ticket)).Cost
    },
  }
}

/** A gateway, and commands, on a clock that tests alone move. */
export interface MovedGateway extends RunningGateway {
  clock: MovedClock
  /** Lets time pass. */
  pass(ms: number): void
  /** Lets time pass until a command that waits for it has ended. */
  during<T>(command: Promise<T>): Promise<T>
}

/** Starts a gateway whose time stands still unless a test moves it. */
export async function startMovedGateway(
  ...[folder, database, env]: Parameters<typeof startGateway>
): Promise<MovedGateway> {
  const clock = createMovedClock(epochMs(Date.now()))
  const pass = (ms: number) => clock.moveTo(epochMs(clock.now() + ms))
  return {
    ...(await startGateway(folder, database, env, clock)),
    clock,
    pass,
    async during(command) {
      let isOver = false
      const over = command.finally(() => {
        isOver = true
      })
      for (; !isOver; pass(50)) await new Promise((go) => setTimeout(go, 2))
      return over
    },
  }
}
