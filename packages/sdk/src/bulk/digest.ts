import type { Part } from './parts.ts'

/** A hash of 53 bits: enough to notice a change by accident, not one on purpose. */
export function digestOf(value: unknown): number {
  const text = JSON.stringify(value)
  let one = 0x811c9dc5
  let two = 0x2545f491
  for (let at = 0; at < text.length; at++) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193)
    two = Math.imul(two ^ text.charCodeAt(at), 0x85ebca6b)
  }
  return (one >>> 0) * 2 ** 21 + (two >>> 11)
}

/** The digest of what is sent of a part. */
export function partDigest({ entries }: Part<unknown>): number {
  return digestOf(
    entries.map(({ sent, text, outcome }) => (outcome ? 0 : text === undefined ? sent : [sent, text])),
  )
}
