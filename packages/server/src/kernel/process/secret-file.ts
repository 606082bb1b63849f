import { readFileSync, statSync } from 'node:fs'

/** More than any secret. Another file may be endless, or one that a reader waits for. */
const MOST_BYTES = 64 * 1_024

/** The text of a file that has a secret in its first line, or why it can't be read. */
export function readSecretFile(path: string): { text: string; fault?: string } {
  try {
    const found = statSync(path)
    if (!found.isFile()) return { text: '', fault: 'not a file' }
    if (found.size > MOST_BYTES) return { text: '', fault: `${found.size} bytes, which is no password` }
    return { text: readFileSync(path, 'utf8').replace(/^\uFEFF/, '') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    return { text: '', fault: String(code) }
  }
}
