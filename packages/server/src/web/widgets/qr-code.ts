/*
 * QR codes (ISO/IEC 18004) of texts as bytes, at the level of correction M, by which a camera reads a code of which 15 % are
 * lost.
 */

/** By version, beginning with 1: the bytes of correction in a block, and the blocks. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

/** The polynomial of the field of 256, and that of the blocks' generator before any factor. */
const FIELD = 0x11d
const PADDING = [0xec, 0x11]

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** The dark modules of a code by row, without the quiet zone around it; undefined for a text that is too long. */
export function qrCode(text: string): boolean[][] | undefined {
  const bytes = [...Buffer.from(text)]
  const version = CORRECTION.findIndex((_, index) => bytes.length <= roomOf(index + 1)) + 1
  if (version === 0) return undefined
  const words = interleaved(padded(bytes, version), version)
  const codes = MASKS.map((mask, number) => {
    const code = new Code(version)
    code.fill(words, mask)
    code.writeFormat(number)
    return code
  })
  const penalties = codes.map((code) => code.penalty())
  return codes[penalties.indexOf(Math.min(...penalties))]?.rows
}

function sizeOf(version: number): number {
  return 17 + 4 * version
}

function correctionOf(version: number): { each: number; blocks: number } {
  return { each: CORRECTION[version - 1] ?? 0, blocks: BLOCKS[version - 1] ?? 0 }
}

/** All bytes that a code of a version holds: what is no pattern, and neither format nor version. */
function wordsOf(version: number): number {
  return Math.floor(new Code(version).free / 8)
}

function dataWordsOf(version: number): number {
  const { each, blocks } = correctionOf(version)
  return wordsOf(version) - each * blocks
}

/** The bits of the text's length. */
function lengthBits(version: number): number {
  return version < 10 ? 8 : 16
}

/** The bytes of text that fit, after the mode and the length. */
function roomOf(version: number): number {
  return Math.floor((8 * dataWordsOf(version) - 4 - lengthBits(version)) / 8)
}

/** The mode of bytes, the length, the text, its end, and padding. */
function padded(bytes: readonly number[], version: number): number[] {
  const room = dataWordsOf(version)
  const bits = [
    '0100',
    binary(bytes.length, lengthBits(version)),
    ...bytes.map((byte) => binary(byte, 8)),
  ].join('')
  const ended = bits.padEnd(Math.min(bits.length + 4, 8 * room), '0')
  const words = (ended.match(/.{1,8}/g) ?? []).map((word) => Number.parseInt(word.padEnd(8, '0'), 2))
  for (let index = 0; words.length < room; index++) words.push(PADDING[index % 2] ?? 0)
  return words
}

function binary(value: number, bits: number): string {
  return value.toString(2).padStart(bits, '0')
}

/** The words of all blocks by turns, then those of correction. The last blocks may have a word more. */
function interleaved(words: readonly number[], version: number): number[] {
  const { each, blocks } = correctionOf(version)
  const short = Math.floor(words.length / blocks)
  const longer = words.length % blocks
  const divisor = generator(each)
  let from = 0
  const all = Array.from({ length: blocks }, (_, index) => {
    const data = words.slice(from, from + short + (index < blocks - longer ? 0 : 1))
    from += data.length
    return { data, correction: remainder(data, divisor) }
  })
  const column = (of: 'data' | 'correction') => (_: unknown, index: number) =>
    all.flatMap((block) => block[of][index] ?? [])
  return [
    ...Array.from({ length: short + 1 }, column('data')),
    ...Array.from({ length: each }, column('correction')),
  ].flat()
}

function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * FIELD)
    product ^= ((b >> bit) & 1) * a
  }
  return product
}

/** The generator of a degree, without its leading 1. */
function generator(degree: number): number[] {
  let factors: number[] = [...Array<number>(degree - 1).fill(0), 1]
  let root = 1
  for (let step = 0; step < degree; step++) {
    factors = factors.map((factor, index) => times(factor, root) ^ (factors[index + 1] ?? 0))
    root = times(root, 2)
  }
  return factors
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const rest: number[] = Array(divisor.length).fill(0)
  for (const word of data) {
    const factor = word ^ (rest.shift() ?? 0)
    rest.push(0)
    for (const [index, by] of divisor.entries()) rest[index] = (rest[index] ?? 0) ^ times(by, factor)
  }
  return rest
}

/** A code with its patterns, to be filled. */
class Code {
  readonly rows: boolean[][]
  /** The modules that are patterns, format or version, which no mask touches. */
  readonly #fixed: boolean[][]
  readonly #size: number

  constructor(version: number) {
    this.#size = sizeOf(version)
    const empty = () => Array.from({ length: this.#size }, () => Array<boolean>(this.#size).fill(false))
    this.rows = empty()
    this.#fixed = empty()
    this.#drawTiming()
    for (const [x, y] of [
      [3, 3],
      [this.#size - 4, 3],
      [3, this.#size - 4],
    ] as const)
      this.#drawFinder(x, y)
    this.#drawAlignments(version)
    this.#drawVersion(version)
    this.writeFormat(0)
  }

  get free(): number {
    return this.#fixed.flat().filter((isFixed) => !isFixed).length
  }

  #set(x: number, y: number, isDark: boolean): void {
    const [row, fixed] = [this.rows[y], this.#fixed[y]]
    if (!row || !fixed || x < 0 || x >= this.#size) return
    row[x] = isDark
    fixed[x] = true
  }

  #drawTiming(): void {
    for (let at = 0; at < this.#size; at++) {
      this.#set(6, at, at % 2 === 0)
      this.#set(at, 6, at % 2 === 0)
    }
  }

  /** A square in a square, and the light line around it. */
  #drawFinder(x: number, y: number): void {
    this.#drawRings(x, y, 4, (ring) => ring !== 2 && ring !== 4)
  }

  #drawRings(x: number, y: number, reach: number, isDark: (ring: number) => boolean): void {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++)
        this.#set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
  }

  #drawAlignments(version: number): void {
    const centres = alignmentsOf(version)
    const [first, last] = [centres[0], centres.at(-1)]
    for (const x of centres)
      for (const y of centres) {
        const isCorner =
          (x === first && y === first) || (x === first && y === last) || (x === last && y === first)
        if (!isCorner) this.#drawRings(x, y, 2, (ring) => ring !== 1)
      }
  }

  /** The version stands in a code from 7 on, twice, with 12 bits of correction. */
  #drawVersion(version: number): void {
    if (version < 7) return
    const bits = (version << 12) | rest(version, 12, 0x1f25)
    for (let at = 0; at < 18; at++) {
      const isDark = ((bits >> at) & 1) === 1
      const [far, near] = [this.#size - 11 + (at % 3), Math.floor(at / 3)]
      this.#set(far, near, isDark)
      this.#set(near, far, isDark)
    }
  }

  /** The level, which is 0 for M, and the mask, twice, with 10 bits of correction. */
  writeFormat(mask: number): void {
    const bits = ((mask << 10) | rest(mask, 10, 0x537)) ^ 0x5412
    const last = this.#size - 1
    for (let at = 0; at < 15; at++) {
      const isDark = ((bits >> at) & 1) === 1
      // Beside the first finder, around its corner and past the timing.
      if (at < 8) this.#set(8, at < 6 ? at : at + 1, isDark)
      else this.#set(at === 8 ? 7 : 14 - at, 8, isDark)
      // Below the second finder, and beside the third.
      if (at < 8) this.#set(last - at, 8, isDark)
      else this.#set(8, last - 14 + at, isDark)
    }
    this.#set(8, last - 7, true)
  }

  /** Writes the words in columns of two, from the right, up and down by turns. */
  fill(words: readonly number[], mask: (x: number, y: number) => boolean): void {
    let bit = 0
    for (let right = this.#size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5
      const isUp = ((right + 1) & 2) === 0
      for (let step = 0; step < this.#size; step++) {
        const y = isUp ? this.#size - 1 - step : step
        for (const x of [right, right - 1]) {
          const row = this.rows[y]
          if (!row || this.#fixed[y]?.[x]) continue
          const isDark = (((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
          row[x] = isDark !== mask(x, y)
          bit++
        }
      }
    }
  }

  /** How hard it is to read, by the four rules of the standard. */
  penalty(): number {
    const columns = this.rows.map((_, x) => this.rows.map((row) => row[x] ?? false))
    const lines = [...this.rows, ...columns].map((line) =>
      line.map((isDark) => (isDark ? '1' : '0')).join(''),
    )
    let points = 0
    for (const line of lines) {
      for (const [run] of line.matchAll(/(.)\1{4,}/g)) points += run.length - 2
      points += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length
    }
    for (let y = 1; y < this.#size; y++)
      for (let x = 1; x < this.#size; x++) {
        const corner = this.rows[y]?.[x]
        const others = [this.rows[y]?.[x - 1], this.rows[y - 1]?.[x], this.rows[y - 1]?.[x - 1]]
        if (others.every((other) => other === corner)) points += 3
      }
    const dark = this.rows.flat().filter(Boolean).length / this.#size ** 2
    return points + 10 * Math.floor(Math.abs(dark * 20 - 10))
  }
}

/** The remainder of a value by a polynomial of some degree. */
function rest(value: number, degree: number, polynomial: number): number {
  let left = value
  for (let step = 0; step < degree; step++) left = (left << 1) ^ ((left >> (degree - 1)) * polynomial)
  return left
}

/** The centres of the small squares, the same across and down. */
function alignmentsOf(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((4 * version + 4) / (2 * count - 2)) * 2
  const others = Array.from({ length: count - 1 }, (_, index) => sizeOf(version) - 7 - index * step)
  return [6, ...others.reverse()]
}
