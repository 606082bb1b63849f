import { execFile } from 'node:child_process'
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SOURCE = fileURLToPath(new URL('./faults.c', import.meta.url))
const { errno } = constants

/** Where `struct control` of faults.c has its fields. */
const AT = { ahead: 0, write: 8, sync: 12, syncsLeft: 16, watched: 20, failed: 24, dropped: 28, files: 32 }
const SIZE = 128

/** Faults below processes that are started with `env`: their disk fails, or their clock jumps. */
export interface Faults {
  env: Record<string, string>
  /** Which files a fault of the disk concerns, as a pattern for the whole path: `*` is any text. */
  concern(files: string): void
  /** Every write to them fails with this error from now on. */
  failWrites(code: keyof typeof errno): void
  /** Their next syncs fail, and what was written since the last good one is lost. */
  failSyncs(code: keyof typeof errno, times: number): void
  /** The disk is good again. */
  mend(): void
  /** Sets the clock this far ahead of the machine's, or behind it. */
  setAhead(ms: number): void
  /** How many calls have failed, and how many writes were lost by it. */
  counts(): { failed: number; dropped: number }
  close(): void
}

/** Needs a C compiler and Linux, whose loader puts the faults in front of the C library. */
export async function openFaults(folder: string): Promise<Faults> {
  const library = join(folder, 'faults.so')
  const file = join(folder, 'faults.control')
  await compile(library)
  writeFileSync(file, Buffer.alloc(SIZE))
  const control = openSync(file, 'r+')

  function setNumber(at: number, value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    writeSync(control, bytes, 0, 4, at)
  }
  function number(at: number): number {
    const bytes = Buffer.alloc(4)
    readSync(control, bytes, 0, 4, at)
    return bytes.readInt32LE()
  }

  return {
    env: { LD_PRELOAD: library, WIGWAG_FAULTS: file },
    concern(files) {
      const bytes = Buffer.alloc(SIZE - AT.files)
      bytes.write(files, 0, bytes.length - 1)
      writeSync(control, bytes, 0, bytes.length, AT.files)
      setNumber(AT.watched, 1)
    },
    failWrites: (code) => setNumber(AT.write, errno[code]),
    failSyncs(code, times) {
      setNumber(AT.syncsLeft, times)
      setNumber(AT.sync, errno[code])
    },
    mend() {
      setNumber(AT.write, 0)
      setNumber(AT.syncsLeft, 0)
      setNumber(AT.sync, 0)
    },
    setAhead(ms) {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(BigInt(ms))
      writeSync(control, bytes, 0, 8, AT.ahead)
    },
    counts: () => ({ failed: number(AT.failed), dropped: number(AT.dropped) }),
    close: () => closeSync(control),
  }
}

async function compile(library: string): Promise<void> {
  const flags = ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-pthread']
  await promisify(execFile)('cc', flags).catch((error: Error) => {
    throw new Error(
      `expected a C compiler to make the faults with; install one, such as Debian's gcc and libc6-dev: ${error.message}`,
    )
  })
}
