/**
 * The script of the page at `/docs`. It is one file of a package that would bring 200 others with it, so that file alone
 * is taken from the package. Plain JavaScript without dependencies, for whatever Node there is.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const VERSION = '1.72.1'
const PACKAGE = `@scalar/api-reference@${VERSION}`
/** `npm view @scalar/api-reference@1.72.1 dist.integrity` */
const INTEGRITY =
  'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=='
const SCRIPT = 'package/dist/browser/standalone.js'

/** Its line in the server's notices: the package brings no text of its licence. */
export const referenceNotice = `assets/reference.js is ${PACKAGE}, under the MIT licence: https://github.com/scalar/scalar\n`

/** Identifies the script that `fetchReference` fetches. */
export const referenceVersion = INTEGRITY

/** Puts the script into a file. `npm` and `run` start programs, and reject when one fails. */
export async function fetchReference(file, { npm, run }) {
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-reference-'))
  try {
    await npm(['pack', PACKAGE, '--silent', '--pack-destination', folder], { quiet: true })
    const archive = `scalar-api-reference-${VERSION}.tgz`
    const bytes = readFileSync(join(folder, archive))
    const came = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    if (came !== INTEGRITY) throw new Error(`${PACKAGE}: expected ${INTEGRITY}, got ${came}.`)
    await run('tar', ['-xzf', archive, SCRIPT], { cwd: folder })
    mkdirSync(dirname(file), { recursive: true })
    copyFileSync(join(folder, SCRIPT), file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
