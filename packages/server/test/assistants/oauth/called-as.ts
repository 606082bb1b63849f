import { request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Gets an address under another host's name, which fetch can't do. */
export async function calledAs(host: string, url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const forwarded = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https', forwarded: `host=${host}` }
  const asked = request(url, { headers: { host, ...forwarded } }, (reply) => resolve(text(reply)))
  asked.on('error', reject).end()
  return promise
}
