import { request } from 'node:http'
import { text } from 'node:stream/consumers'

/** What an address says to somebody who calls it by another host's name, which fetch would not. */
export async function calledAs(host: string, url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const forwarded = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https', forwarded: `host=${host}` }
  const asked = request(url, { headers: { host, ...forwarded } }, (reply) => resolve(text(reply)))
  asked.on('error', reject).end()
  return promise
}
