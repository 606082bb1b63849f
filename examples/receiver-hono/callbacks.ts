import { callbackHandler } from '@wigwag/sdk'

const handled = new Set<string>() // in your app: a table with the id as its key, in the transaction that does the work

/** Answers 401 to a forgery and 204 to a callback. It has `WIGWAG_CALLBACK_SECRET` from the environment. */
export const handler = callbackHandler(async ({ ClientReference, Status }, _request, id) => {
  if (handled.has(id)) return
  console.log(ClientReference, Status) // in your app: the work
  handled.add(id) // last: if the work fails, the callback comes again
})
