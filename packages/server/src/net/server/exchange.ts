/** Facts about a request, from the code that answers it to metrics, the access log and traces. */
export interface Exchange {
  /** The `operationId` in the document; undefined for a request that the document does not describe. */
  operation: string | undefined
  accountId: string | undefined
  requestId: string | undefined
  /** The code of the problem that the caller got. */
  code: string | undefined
}

/** The operation of a request outside of the document, by the first part of its path. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ...['livez', 'readyz'].map((part) => [part, 'health'] as const),
  ...['docs', 'openapi.json'].map((part) => [part, 'reference'] as const),
  ...['oauth', '.well-known'].map((part) => [part, 'oauth'] as const),
  ['metrics', 'metrics'],
  ['mcp', 'connector'],
  ['carriers', 'receipts'],
  ['sandbox', 'sandbox'],
])

/** Operations that programs ask for every few seconds. */
export const PROBES: ReadonlySet<string> = new Set(['health', 'metrics'])

export function isProbe(path: string): boolean {
  return PROBES.has(PLACES.get(firstPart(path)) ?? '')
}

function firstPart(path: string): string {
  return /^\/([^/?#]*)/.exec(path)?.[1] ?? ''
}

/**
 * The name of a request's operation: one of a fixed set, whatever strangers ask for. A page of the console is `page`,
 * and what is not there is `nothing`.
 */
export function operationOf(
  { operation }: Pick<Exchange, 'operation'>,
  path: string,
  status: number,
): string {
  if (operation !== undefined) return operation
  return PLACES.get(firstPart(path)) ?? (status === 404 || status === 405 ? 'nothing' : 'page')
}
