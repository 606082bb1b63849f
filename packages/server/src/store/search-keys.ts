import type { FinalStatus } from '../domain/message.ts'

/** What a final message of a wallet is found by when its sender ID and its status are asked for. */
export function senderKey(walletId: string, sender: string, status: FinalStatus): number {
  return digest(walletId + sender + status)
}

/**
 * A number below 2^53 for a text (two rounds of 32-bit multiply and mix). Two texts may share one, so a search
 * compares what it was made of as well.
 */
export function digest(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0)
}
