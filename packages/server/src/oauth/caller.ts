import { AsyncLocalStorage } from 'node:async_hooks'

const addresses = new AsyncLocalStorage<string>()

/** Answers a request of an address. The library tells our code below it nothing of who asks, and sometimes no request. */
export function answering<T>(address: string, work: () => T): T {
  return addresses.run(address, work)
}

/** The address whose request is answered now. */
export function callerAddress(): string {
  return addresses.getStore() ?? ''
}
