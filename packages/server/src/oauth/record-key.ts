import { hash } from 'node:crypto'

const NAMED = new Set(['Client', 'Grant'])

/** Whether records of a model are named openly. The id of any other is a secret that opens it. */
export function isNamedOpenly(model: string): boolean {
  return NAMED.has(model)
}

/** What a record is stored under: of an id that is a secret, the digest only. */
export function recordKey(model: string, id: string): string {
  return isNamedOpenly(model) ? id : hash('sha256', id, 'base64url')
}
