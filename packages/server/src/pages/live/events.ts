/** An event as it is sent. With an id, a stream that is opened again goes on after that event. */
export function eventText(event: string, data: string, id?: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}${lines.join('')}\n`
}

/** A line that readers ignore. It keeps proxies from closing a quiet stream. */
export const COMMENT = ':\n\n'
