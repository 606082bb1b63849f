import { createClient } from '@wigwag/sdk'
import { type Answer, createCodes } from '../../codes'

const customers = new Set(['233241234567', '233201234567'])
const secret = process.env.CODE_SECRET ?? 'only for this example'
const codes = createCodes({ sms: createClient(), isCustomer: (phone) => customers.has(phone), secret })

/** Sends a code. */
export async function POST(request: Request) {
  return answered(codes.ask(await bodyOf(request), addressOf(request)))
}

/** Checks it. */
export async function PUT(request: Request) {
  return answered(codes.check(await bodyOf(request), addressOf(request)))
}

function bodyOf(request: Request): Promise<unknown> {
  return request.json().catch(() => undefined)
}

/** Next puts the address of the other side here, unless the header came. A proxy appends it: what is before, anybody may write. */
function addressOf(request: Request): string {
  return request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
}

function answered({ status, message }: Answer) {
  return Response.json({ message }, { status })
}
