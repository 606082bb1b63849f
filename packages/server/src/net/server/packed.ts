import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { loadedOnce } from '../../kernel/process/loaded-once.ts'
import { accepts } from './body.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The first visitor waits for it. The highest, 11, takes ten times as long for a tenth less; gzip's has a tenth more. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Bytes that many are sent: compressed once a process, beside the first thread, when a client first takes them so. */
export class Packed {
  readonly #plain: Bytes
  readonly #encoded: Record<'br' | 'gzip', () => Promise<Bytes>>
  /** The first part of their digest. */
  readonly digest: string

  constructor(content: Bytes | string) {
    const plain = typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content
    this.#plain = plain
    this.#encoded = {
      br: loadedOnce(async () => new Uint8Array(await promisify(brotliCompress)(plain, BROTLI))),
      gzip: loadedOnce(async () => new Uint8Array(await promisify(gzip)(plain, { level: 9 }))),
    }
    this.digest = hash('sha256', plain, 'base64url').slice(0, 12)
  }

  /** The smallest encoding that the client takes; no body for one that has them already. */
  async reply(c: Context, headers: Record<string, string>): Promise<Response> {
    // Weak, since it is the same for each encoding.
    const etag = `W/"${this.digest}"`
    const tagged = { vary: 'accept-encoding', ...headers, etag }
    if (isAmong(c.req.header('if-none-match'), etag)) return c.body(null, 304, tagged)
    const taken = c.req.header('accept-encoding')
    const encoding = (['br', 'gzip'] as const).find((name) => accepts(taken, name))
    if (!encoding) return c.body(this.#plain, 200, tagged)
    return c.body(await this.#encoded[encoding](), 200, { ...tagged, 'content-encoding': encoding })
  }
}

function isAmong(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((each) => each.trim() === etag) ?? false
}
