/**
 * A call under way: awaiting it gives the documented object, `withResponse()` the `Response` too (its body is read).
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
 * The documented object, and the response that it came in.
 * @example
 * import type { Answer, Balance } from '@wigwag/sdk'
 * const requestIdOf = (answer: Answer<Balance>) => answer.response.headers.get('x-request-id')
 */
export interface Answer<Data> {
  data: Data
  response: Response
}

/** A call whose answer is on its way. Whoever takes the answer whole need not also catch the promise of its data. */
export function toCall<Data>(answer: Promise<Answer<Data>>): Call<Data> {
  const data = answer.then((whole) => whole.data)
  return Object.assign(data, {
    withResponse() {
      data.catch(() => {})
      return answer
    },
  })
}
