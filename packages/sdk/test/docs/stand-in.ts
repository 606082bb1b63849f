import { openSandbox, type Sandbox } from '../../../server/src/testing/sandbox.ts'
import { signCallback } from '../../src/index.ts'

/** The secret and the ticket that the documentation shows. */
const secret = 'whsec_c2VjcmV0'
const shownTicket = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

/** A sandbox behind the global `fetch`: whatever the documentation calls, with whatever credentials, is this one. */
export interface StandIn extends AsyncDisposable {
  /** A callback as the gateway would post it to a program of the documentation. */
  callback(): Promise<Request>
}

export async function standIn(): Promise<StandIn> {
  const sandbox = await openSandbox({})
  const { clientId, clientSecret, walletToken } = sandbox.credentials
  const { Ticket } = await sandbox.client.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello' })
  const { fetch } = globalThis
  const { env } = process
  globalThis.fetch = (input, init) => answer(sandbox, Ticket, new Request(input, init))
  process.env = {
    ...env,
    WIGWAG_BASE_URL: 'http://127.0.0.1:8080',
    WIGWAG_CLIENT_ID: clientId,
    WIGWAG_CLIENT_SECRET: clientSecret,
    WIGWAG_WALLET_TOKEN: walletToken,
    WIGWAG_CALLBACK_SECRET: secret,
  }
  return {
    async callback() {
      const amounts = { Cost: 1, BalanceBefore: 2, BalanceAfter: 1 }
      const payload = {
        ClientReference: '',
        Ticket,
        Destination: '233241234567',
        ...amounts,
        Status: 'success',
      }
      const body = JSON.stringify(payload)
      const headers = { ...(await signCallback(body, secret)) }
      return new Request('https://shop.example/callbacks', { method: 'POST', headers, body })
    },
    async [Symbol.asyncDispose]() {
      globalThis.fetch = fetch
      process.env = env
      await sandbox.close()
    },
  }
}

/** Lets the sandbox's time run on with every request, so that waiting for a message comes to an end. */
async function answer(sandbox: Sandbox, ticket: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  if (!pathname.startsWith('/v1/')) return new Response(null, { status: 204 })
  await sandbox.clock.advance(2_000)
  const { clientId, clientSecret, walletToken } = sandbox.credentials
  const headers = new Headers(request.headers)
  headers.set('authorization', `Basic ${btoa(`${clientId}:${clientSecret}`)}`)
  headers.set('x-wallet', `Token ${walletToken}`)
  const body = (await request.text()).replace('"ACME"', '"WIGWAG"')
  const url = new URL(pathname.replace(shownTicket, ticket) + search, 'http://sandbox.invalid')
  return sandbox.fetch(new Request(url, { method: request.method, headers, body: body || null }))
}
