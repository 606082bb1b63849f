import type { IncomingHttpHeaders } from 'node:http'

/** The statuses without a body: `new Response` throws if it gets one. */
const bodiless = new Set([204, 205, 304])

/** A complete response. Rarely used members are served by a real `Response`, created when it is first needed. */
export class LightResponse implements Response {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly redirected = false
  readonly type = 'basic'
  readonly #plainHeaders: IncomingHttpHeaders
  readonly #bytes: Uint8Array<ArrayBuffer>
  #headers: Headers | undefined
  #isRead = false
  #real: Response | undefined

  constructor(
    url: string,
    status: number,
    statusText: string,
    headers: IncomingHttpHeaders,
    bytes: Uint8Array<ArrayBuffer>,
  ) {
    this.url = url
    this.status = status
    this.statusText = statusText
    this.#plainHeaders = headers
    this.#bytes = bytes
  }

  get headers() {
    this.#headers ??= new Headers(pairs(this.#plainHeaders))
    return this.#headers
  }
  get ok() {
    return this.status >= 200 && this.status < 300
  }
  async text() {
    if (this.#real || this.#isRead) return this.real.text()
    this.#isRead = true
    return new TextDecoder().decode(this.#bytes)
  }

  get real(): Response {
    if (!this.#real) {
      const { status, statusText, headers } = this
      // Not `this`: a server of Hono's replaces the global `Response`, and takes one for its own.
      this.#real = new Response(bodiless.has(status) ? null : this.#bytes, { status, statusText, headers })
      if (this.#isRead) this.#real.text().catch(() => {})
    }
    return this.#real
  }
  get body() {
    return this.real.body
  }
  get bodyUsed() {
    return this.real.bodyUsed
  }
  async arrayBuffer() {
    return this.real.arrayBuffer()
  }
  async blob() {
    return this.real.blob()
  }
  async bytes() {
    return new Uint8Array(await this.real.arrayBuffer())
  }
  clone() {
    return this.real.clone()
  }
  async formData() {
    return this.real.formData()
  }
  async json() {
    return this.real.json()
  }
}

Object.setPrototypeOf(LightResponse.prototype, Response.prototype)

/** One pair per value: a header may be repeated. */
function pairs(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
}
