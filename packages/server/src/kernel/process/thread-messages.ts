/** An item to the thread. Plain objects and bytes: a class would arrive without its methods. */
export type Down<Ask> =
  | { kind: 'call'; id: number; ask: Ask }
  | { kind: 'tell'; ask: Ask }
  | { kind: 'beat' }
  | { kind: 'close'; id: number }

/** Items leave together once in a turn of the event loop: each message between threads has a price. */
export interface DownBatch<Ask> {
  /** The time of the first thread's clock, which may be a database's or a sandbox's. */
  now: number
  items: readonly Down<Ask>[]
}

/** An item from the thread. */
export type Up<Answer, Told> =
  /** It can take calls. */
  | { kind: 'up' }
  | { kind: 'answered'; id: number; answer: Answer }
  | { kind: 'failed'; id: number }
  | { kind: 'told'; told: Told }
  | { kind: 'fault'; fault: SentError }
  | { kind: 'beat'; processorMicros: number | undefined }

/** An error on its way between threads, where it would lose its class, or could not be sent for what it refers to. */
export interface SentError {
  name: string
  message: string
  stack: string
}

/** An error as another thread can be sent it. */
export function sent(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: '' }
  const { name, message, stack = '' } = error
  return { name, message, stack }
}

/** An error that another thread has sent. */
export function errorOf({ name, message, stack }: SentError): Error {
  return Object.assign(new Error(message), { name, stack })
}
