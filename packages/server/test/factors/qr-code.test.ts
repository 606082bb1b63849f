import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { qrCode } from '../../src/web/widgets/qr-code.ts'

/** Codes of the first letters of a text, as the package qrcode-generator 2 makes them: version, letters, digest. */
const KNOWN = [
  [1, 2, '8ac951983b95d942'],
  [2, 15, '407d2a4a8592f64e'],
  [3, 28, '9a54b8a2ad7cdc2d'],
  [4, 49, '222ebe0a729b1352'],
  [5, 66, '5e452dab1a82a724'],
  [6, 99, '90e98bf2d11ce1f8'],
  [7, 122, '73fd44c212168af6'],
  [8, 123, 'd83c36619be8206c'],
  [9, 155, '12d68223bbffbfab'],
  [10, 183, 'abe640f1c1edfc83'],
  [11, 214, '88f9aa78cf96dd42'],
  [12, 253, 'c1a173a8e798482e'],
  [13, 288, 'c6c0673b259efbae'],
  [14, 332, '418bfb4c1e36995d'],
  [16, 421, 'd1311165a975d28b'],
  [17, 451, 'a4d02690a7d79750'],
  [18, 505, 'd6aabd1a7030dbf8'],
] as const

const TEXT = 'wigwag '.repeat(100)

it.each(KNOWN)('is in version %i for %i bytes what another encoder makes', (version, letters, digest) => {
  const rows = qrCode(TEXT.slice(0, letters)) ?? []
  const drawn = rows.map((row) => row.map(Number).join('')).join('\n')
  expect(rows).toHaveLength(17 + 4 * version)
  expect(createHash('sha256').update(drawn).digest('hex').slice(0, 16)).toBe(digest)
})

it('holds up to 666 bytes, and there is none of a text that is longer', () => {
  expect(qrCode('x'.repeat(666))).toHaveLength(97)
  expect(qrCode('x'.repeat(667))).toBeUndefined()
  expect(qrCode('é'.repeat(333))).toHaveLength(97)
  expect(qrCode('é'.repeat(334))).toBeUndefined()
})
