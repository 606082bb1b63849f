import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { micros } from '../../../contract/src/money.ts'
import type { ConnectionLimits } from '../../../server/src/assistants/connections.ts'
import { createAssistant } from '../../../server/test/assistants/oauth/assistant.ts'
import { cheapHash } from '../../../server/test/assistants/oauth/cheap-hash.ts'
import { createPerson, type Person } from '../../../server/test/assistants/oauth/person.ts'
import { consent, READING, SENDING } from '../../../server/test/assistants/oauth/world.ts'
import { asOwner } from '../../../server/test/support/assistants.ts'
import { openFront } from '../../../server/test/support/front.ts'
import { listen } from '../fixtures/listen.ts'
import type { ReceivedRequest, SignInGateway } from './gateway.ts'

export interface RealGateway extends SignInGateway {
  /** Changes a connection's limits, as a person does on the connections page. */
  limit(connection: string, changes: Partial<ConnectionLimits>): Promise<void>
  /** Suspends the account of a connection, as `wigwag account suspend` does. */
  suspend(connection: string): Promise<void>
}

/** The gateway itself, behind a proxy that records the requests to the REST API. */
export async function openRealGateway(): Promise<RealGateway> {
  const received: ReceivedRequest[] = []
  const accounts = new Map<string, string>()
  const accountOf = (connection: string) => accounts.get(connection) ?? ''
  let inside = ''
  const proxy = await listen(async (request) => {
    const { pathname, search } = new URL(request.url)
    const authorization = request.headers.get('authorization')
    if (pathname.startsWith('/v1/')) received.push({ method: request.method, path: pathname, authorization })
    const body = await request.arrayBuffer()
    return fetch(`${inside}${pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      body: body.byteLength > 0 ? body : null,
      redirect: 'manual',
    })
  })
  const issuer = `http://127.0.0.1:${proxy.port}`
  const front = await openFront(':memory:', { publicUrl: issuer })
  inside = front.url
  onTestFinished(async () => {
    await proxy.close()
    await front.close()
  })
  const { operator, standalone, connections, portal, database } = front.gateway

  /** A person with an account, signed in to the portal in their browser. */
  async function createResident() {
    const name = `person-${randomBytes(4).toString('hex')}`
    const email = `${name}@example.com`
    const password = randomBytes(12).toString('base64url')
    const passwordHash = cheapHash(password)
    const secrets = await operator.createAccount({
      name,
      email,
      passwordHash,
      currency: 'GHS',
      balance: micros(100_000_000),
      senders: ['WIGWAG'],
    })
    const person: Person = createPerson()
    const signedIn = await portal.signIn({ email, password, address: '127.0.0.1' })
    if (signedIn.kind !== 'in') throw new Error(`not signed in: ${signedIn.kind}`)
    person.cookies.set('wigwag_portal', signedIn.token)
    return { ...secrets, email, password, person }
  }

  return {
    issuer,
    addConnector: (resource) => standalone.add(resource),
    async allow(resource, { canSend = false } = {}) {
      const resident = await createResident()
      const assistant = await createAssistant(issuer)
      const choice = canSend ? SENDING : READING
      const answer = await consent(resident, assistant, choice, { resource })
      const { status, body } = await assistant.trade(answer.get('code') ?? '', { resource })
      if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`)
      const [made] = await connections.list(resident.accountId)
      if (!made) throw new Error('expected a connection')
      accounts.set(made.id, resident.accountId)
      return { connection: made.id, token: body.access_token }
    },
    async revoke(connection) {
      await connections.revoke(asOwner(accountOf(connection)), connection)
    },
    async limit(connection, changes) {
      const limits = {
        dailySpend: micros(5_000_000),
        dailyMessages: 20,
        recipients: undefined,
        unasked: 'send' as const,
        ...changes,
      }
      await connections.changeLimits(asOwner(accountOf(connection)), connection, limits)
    },
    async suspend(connection) {
      await operator.setStatus(accountOf(connection), 'suspended')
    },
    async expireTokens() {
      const rows = await database.read(({ run }) =>
        run<{ id: string; payload: string }>(
          "SELECT id, payload FROM oauth_records WHERE model = 'AccessToken'",
          [],
        ),
      )
      for (const { id, payload } of rows) {
        const over = JSON.stringify({ ...JSON.parse(payload), exp: 1 })
        await database.write(({ run }) =>
          run('UPDATE oauth_records SET payload = $1 WHERE id = $2', [over, id]),
        )
      }
    },
    received: () => received,
  }
}
