import type { FetchResponse } from '../fetch.ts'

/**
 * A call under way. Awaiting it gives the documented object; `withResponse()` also gives the response, whose body has
 * been read.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const { data, response } = await sms.getBalance().withResponse()
 * console.log(data.balance, response.headers.get('x-request-id'))
 */
export interface Call<Data> extends Promise<Data> {
  withResponse(): Promise<Answer<Data>>
}

/**
 * The documented object, and the response that carried it.
 * @example
 * import type { Answer, Balance } from '@wigwag/sdk'
 * const requestIdOf = (answer: Answer<Balance>) => answer.response.headers.get('x-request-id')
 */
export interface Answer<Data> {
  data: Data
  response: FetchResponse
}

/** Makes a call of a pending answer. A caller of `withResponse()` need not also catch the promise of the data. */
export function toCall<Data>(answer: Promise<Answer<Data>>): Call<Data> {
  const data = answer.then((whole) => whole.data)
  return Object.assign(data, {
    withResponse() {
      data.catch(() => {})
      return answer
    },
  })
}
