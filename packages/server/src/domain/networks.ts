import { NUMBER_RANGES } from './number-ranges.ts'
import type { Recipient } from './phone.ts'

/** A mobile network, and the beginnings of the E.164 numbers that were first allotted to it. */
export interface Network {
  country: string
  mcc: string
  mnc: string
  name: string
  prefixes: readonly string[]
}

export const NETWORKS: readonly Network[] = NUMBER_RANGES.map(([country, mcc, mnc, name, code, ranges]) => ({
  country,
  mcc,
  mnc,
  name,
  prefixes: ranges.split(' ').flatMap((range) => expand(code, range)),
}))

/**
 * A tree of digits in one flat array, ten slots a node: positive leads to a child node, negative names a
 * network, so a longest-prefix match is a handful of reads.
 */
const tree: number[] = new Array(10).fill(0)
const owners: (Network | undefined)[] = [undefined]
for (const network of NETWORKS) for (const prefix of network.prefixes) plant(network, prefix)

/**
 * The network that the number's longest known prefix was allotted to. Numbers may be ported, so this is where
 * the number began, not always where it is now; undefined outside the known ranges.
 */
export function networkOf(recipient: Recipient): Network | undefined {
  let node = 0
  let found: Network | undefined
  for (let i = 0; i < recipient.length; i++) {
    const child = tree[node * 10 + recipient.charCodeAt(i) - 48]
    if (!child) break
    node = child
    found = owners[node] ?? found
  }
  return found
}

function plant(network: Network, prefix: string): void {
  let node = 0
  for (const digit of prefix) {
    const slot = node * 10 + Number(digit)
    let child = tree[slot] ?? 0
    if (child === 0) {
      child = owners.push(undefined) - 1
      for (let i = 0; i < 10; i++) tree.push(0)
      tree[slot] = child
    }
    node = child
  }
  const owner = owners[node]
  if (owner)
    throw new Error(`expected one network for prefix ${prefix}, got ${owner.name} and ${network.name}`)
  owners[node] = network
}

/** '24' is itself, '740-743' all four: always national digits, to which the calling code is added. */
function expand(callingCode: string, range: string): string[] {
  const [first = '', last = first] = range.split('-')
  const count = Number(last) - Number(first) + 1
  return Array.from({ length: count }, (_, i) => {
    return callingCode + String(Number(first) + i).padStart(first.length, '0')
  })
}
