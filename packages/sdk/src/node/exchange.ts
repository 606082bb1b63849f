import type { Dispatcher } from 'undici'
import { LightResponse } from './light-response.ts'

type Controller = Dispatcher.DispatchController
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

/** A request under way. Collects the response, and settles when it is complete, failed or aborted. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<Response>
  readonly #url: string
  readonly #signal: AbortSignal | null
  readonly #chunks: Buffer<ArrayBuffer>[] = []
  #settle: { resolve(response: Response): void; reject(reason: unknown): void } | undefined
  #controller: Controller | undefined
  #status = 0
  #statusText = ''
  #headers: Headers = {}

  constructor(url: string, signal: AbortSignal | null) {
    this.#url = url
    this.#signal = signal
    this.response = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    signal?.addEventListener('abort', this.#giveUp)
  }

  // Rejects at once, without waiting for a connection, which may take long.
  #giveUp = () => {
    const reason = this.#signal?.reason
    this.#controller?.abort(reason)
    this.#end()?.reject(reason)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#signal?.aborted) controller.abort(this.#signal.reason)
  }

  onResponseStart(_: Controller, status: number, headers: Headers, statusText = ''): void {
    this.#status = status
    this.#headers = headers
    this.#statusText = statusText
  }

  onResponseData(_: Controller, chunk: Buffer<ArrayBuffer>): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [first, ...others] = this.#chunks
    const body = others.length || !first ? Buffer.concat(this.#chunks) : first
    this.#end()?.resolve(new LightResponse(this.#url, this.#status, this.#statusText, this.#headers, body))
  }

  onResponseError(_: Controller, cause: Error): void {
    this.#end()?.reject(new TypeError('fetch failed', { cause }))
  }

  #end() {
    this.#signal?.removeEventListener('abort', this.#giveUp)
    const settle = this.#settle
    this.#settle = undefined
    return settle
  }
}
