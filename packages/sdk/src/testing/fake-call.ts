import type { Call, FetchResponse } from '@wigwag/sdk'
import { toCall } from '../calls/call.ts'

/**
 * A call that has its answer, for mocks of single methods. `withResponse()` works too: it gives the response that you
 * pass, or one with the data as JSON.
 * @example
 * import type { Client } from '@wigwag/sdk'
 * import { fakeCall } from '@wigwag/sdk/testing'
 * const data = { balance: 3, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }
 * const sms: Pick<Client, 'getBalance'> = { getBalance: () => fakeCall(data) }
 * const { response } = await sms.getBalance().withResponse()
 * console.log(response.status)
 */
export function fakeCall<Data>(data: Data, response: FetchResponse = Response.json(data)): Call<Data> {
  return toCall(Promise.resolve({ data, response }))
}
