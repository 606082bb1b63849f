import { callbackHandler, createClient, WigwagError } from '@wigwag/sdk'

interface Env {
  /** The status of each order, and the callbacks that were handled. KV is slow to agree; to count money, take D1. */
  STATUSES: {
    get(key: string): Promise<string | null>
    put(key: string, value: string, options?: { expirationTtl: number }): Promise<void>
  }
}

const FOUR_DAYS = 4 * 24 * 3600 // a callback is attempted for three
const sms = createClient()

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, origin } = new URL(request.url)
    const [, place, order = ''] = pathname.split('/')
    if (place === 'callbacks') return receive(request, env)
    if (place !== 'orders' || !order) return new Response('Not found', { status: 404 })
    if (request.method === 'POST') return send(order, await request.text(), `${origin}/callbacks`)
    return Response.json({ order, status: await env.STATUSES.get(`order ${order}`) })
  },
}

/** In your Worker, first ask who is calling: a message costs money. */
async function send(order: string, To: string, CallbackUrl: string): Promise<Response> {
  const message = { To, Content: `Your order ${order} is on its way.`, Reference: order, CallbackUrl }
  try {
    const { Ticket } = await sms.sendSms(message, { idempotencyKey: `${order}-shipped` })
    return Response.json({ ticket: Ticket }, { status: 202 })
  } catch (error) {
    console.error(order, error)
    const uncertain = error instanceof WigwagError && error.uncertain
    return Response.json({ uncertain }, { status: 502 }) // the same request again sends once, for 24 hours
  }
}

function receive(request: Request, { STATUSES }: Env): Promise<Response> {
  const handle = callbackHandler(async ({ ClientReference, Status }, _request, id) => {
    if (await STATUSES.get(`callback ${id}`)) return
    console.log(ClientReference, Status) // in your Worker: the work
    await STATUSES.put(`order ${ClientReference}`, Status)
    await STATUSES.put(`callback ${id}`, 'handled', { expirationTtl: FOUR_DAYS }) // last
  })
  return handle(request)
}
