import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = 8_192
const SEGMENT = 16 * 2 ** 20
const FLUSHES = 1_000
const SEGMENTS = 8

export interface Disk {
  /** How long each flush of one page took, in microseconds. */
  flushesUs: number[]
  /** What it stores while it is flushed after each segment of a log. */
  bytesPerSecond: number
}

/** Measures the disk of a folder as PostgreSQL's log uses it: pages of a file that has its size already. */
export function measureDisk(folder: string): Disk {
  const file = join(folder, 'log')
  const log = openSync(file, 'w')
  try {
    const segment = Buffer.alloc(SEGMENT, 1)
    const began = performance.now()
    for (let nth = 0; nth < SEGMENTS; nth++) flushed(log, segment, nth * SEGMENT)
    const bytesPerSecond = (SEGMENTS * SEGMENT) / ((performance.now() - began) / 1_000)
    const page = Buffer.alloc(PAGE, 2)
    const flushesUs = Array.from({ length: FLUSHES }, (_, nth) => {
      const from = performance.now()
      flushed(log, page, nth * PAGE)
      return (performance.now() - from) * 1_000
    })
    return { flushesUs, bytesPerSecond }
  } finally {
    closeSync(log)
    rmSync(file)
  }
}

function flushed(file: number, bytes: Buffer, at: number): void {
  writeSync(file, bytes, 0, bytes.length, at)
  fdatasyncSync(file)
}
