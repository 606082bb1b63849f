import { NUMBER_RANGES } from './number-ranges.ts'

/** A mobile network and the prefixes of the E.164 numbers allotted to it. */
export interface Network {
  country: string
  mcc: string
  mnc: string
  name: string
  prefixes: readonly string[]
}

/** All known networks with their prefixes. */
export const NETWORKS: readonly Network[] = NUMBER_RANGES.map(([country, mcc, mnc, name, code, ranges]) => ({
  country,
  mcc,
  mnc,
  name,
  prefixes: ranges.split(' ').flatMap((range) => expand(code, range)),
}))

/**
 * A digit trie in one flat array, ten slots per node: a positive value is a child node, a negative one a network. A
 * longest-prefix match takes a few reads.
 */
const tree: number[] = new Array(10).fill(0)
const owners: (Network | undefined)[] = [undefined]
for (const network of NETWORKS) for (const prefix of network.prefixes) plant(network, prefix)

/**
 * The network that the number's longest known prefix was allotted to; undefined outside the known ranges. A ported
 * number may since have moved to another network.
 */
export function networkOf(digits: string): Network | undefined {
  let node = 0
  let found: Network | undefined
  for (let i = 0; i < digits.length; i++) {
    const child = tree[node * 10 + digits.charCodeAt(i) - 48]
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

/** Expands a range of national digits and adds the calling code: '24' gives one prefix, '740-743' gives four. */
function expand(callingCode: string, range: string): string[] {
  const [first = '', last = first] = range.split('-')
  const count = Number(last) - Number(first) + 1
  return Array.from({ length: count }, (_, i) => {
    return callingCode + String(Number(first) + i).padStart(first.length, '0')
  })
}
