import type { Credentials } from './caller.ts'
import type { Visit } from './connector-check/visit.ts'

/** Everything secret that this program sends, the deliberately wrong values among it. */
export function secretsIn(
  { clientId, clientSecret, walletToken }: Credentials,
  more: readonly (string | undefined)[],
): string[] {
  const pairs = [clientSecret, `${clientSecret}x`].map((secret) =>
    Buffer.from(`${clientId}:${secret}`).toString('base64'),
  )
  return [...pairs, clientSecret, walletToken, ...more].filter((text) => text !== undefined).filter(Boolean)
}

export function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

/** Takes secrets out of answers that repeat them, before anything is cut to its first words. */
export function hiding(visit: Visit, secrets: readonly string[]): Visit {
  return async (url, init) => {
    const visited = await visit(url, init)
    if (!secrets.some((secret) => visited.text.includes(secret))) return visited
    const { json } = visited
    return {
      ...visited,
      text: hide(visited.text, secrets),
      json: json === undefined ? undefined : JSON.parse(hide(JSON.stringify(json), secrets)),
    }
  }
}
