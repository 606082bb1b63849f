import { GSM_ALPHABET, GSM_ESCAPE, GSM_EXTENSION } from '@wigwag/contract'

/** How a text is written. GSM 03.38 is unpacked: an octet for each septet. */
export type Alphabet = 'gsm' | 'latin1' | 'ucs2'

const NONE = 0xffff
/** The code of a UTF-16 unit; with the escape in the high octet for the extension table. */
const CODES = new Uint16Array(0x10000).fill(NONE)
for (let code = 0; code < GSM_ALPHABET.length; code++) {
  if (code !== GSM_ESCAPE) CODES[GSM_ALPHABET.charCodeAt(code)] = code
}
for (const [code, character] of GSM_EXTENSION) CODES[character.charCodeAt(0)] = (GSM_ESCAPE << 8) | code

export function canWrite(text: string, alphabet: Alphabet): boolean {
  if (alphabet === 'ucs2') return true
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (alphabet === 'latin1' ? unit > 0xff : CODES[unit] === NONE) return false
  }
  return true
}

/** Throws when the alphabet lacks a character. */
export function encodeText(text: string, alphabet: Alphabet): Buffer {
  if (alphabet === 'ucs2') return Buffer.from(text, 'utf16le').swap16()
  if (!canWrite(text, alphabet)) throw new RangeError(`expected characters of ${alphabet} alone`)
  if (alphabet === 'latin1') return Buffer.from(text, 'latin1')
  const octets = Buffer.allocUnsafe(text.length * 2)
  let at = 0
  for (let i = 0; i < text.length; i++) {
    const code = CODES[text.charCodeAt(i)] ?? 0
    if (code > 0xff) octets[at++] = GSM_ESCAPE
    octets[at++] = code & 0xff
  }
  return octets.subarray(0, at)
}

/** Never fails: an unknown code becomes a space, as in TS 23.038, or is left out. */
export function decodeText(octets: Buffer, alphabet: Alphabet): string {
  if (alphabet === 'latin1') return octets.toString('latin1')
  if (alphabet === 'ucs2') {
    return Buffer.from(octets.subarray(0, octets.length & ~1))
      .swap16()
      .toString('utf16le')
  }
  let text = ''
  for (let i = 0; i < octets.length; i++) {
    const code = octets[i] ?? 0
    text += code === GSM_ESCAPE ? (GSM_EXTENSION.get(octets[++i] ?? 0) ?? ' ') : (GSM_ALPHABET[code] ?? ' ')
  }
  return text
}

/** Whether a data_coding is UCS-2, with or without a message class. */
export function isUcs2(dataCoding: number): boolean {
  return dataCoding === 0x08 || (dataCoding & 0xfc) === 0x18
}
