import { type HttpReply, type HttpRequest, LARGEST_BODY } from './http-message.ts'

export function fromWeb(request: Request): HttpRequest {
  const { method, headers, url } = request
  return {
    method,
    host: headers.get('host') ?? new URL(url).host,
    header: (name) => headers.get(name),
    body() {
      // A length that is told spares reading in pieces.
      const told = headers.get('content-length')
      if (told === null) return readText(request, LARGEST_BODY)
      return Number(told) <= LARGEST_BODY ? request.text() : Promise.resolve(undefined)
    },
  }
}

export function toWeb({ status, headers, body }: HttpReply): Response {
  return new Response(body === '' ? null : body, { status, headers })
}

export async function replyOf(response: Response): Promise<HttpReply> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}

/** The text of a message; undefined when it has more than so many bytes. What is too much is not read. */
export async function readText({ body }: Pick<Body, 'body'>, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.byteLength
    if (length > most) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(part.value)
  }
  return Buffer.concat(chunks).toString('utf8')
}
