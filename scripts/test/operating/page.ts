/**
 * The pages for operators, docs/operating.md and docs/operating/*.md, are programs: their commands are run, in order.
 *
 * A page's blocks:
 *
 *   ```sh             is run. All blocks of a page share one shell, which ends at the first command that fails.
 *   ```sh start       shows how an operator starts the gateway (systemctl, …). In its place `wigwag serve` is started.
 *   ```sh stop        the same for a stop, and
 *   ```sh restart     for both.
 *   ```sh interop     is run by `npm run lab -- interop`, which has PostgreSQL's own programs, and checked by `npm test`.
 *   ```sh WORD        needs what a test machine lacks, which the word names (see NOT_RUN), or is run by another test: those
 *                     of secrets.md, moving.md and upgrading.md, which stop and start several gateways. It is checked: the
 *                     shell can read it, the commands and flags of `wigwag` in it exist, and so do the files of this
 *                     repository.
 *
 * Other fences (```ini, ```) are text. A page says in a comment anywhere what its reader has when it begins:
 *
 *   <!-- tested with: postgres, gateway, account -->
 *
 *   postgres   WIGWAG_DATABASE_URL and PGDATABASE are an empty PostgreSQL database. Otherwise it is file:./wigwag.db
 *   role       that database belongs to the role wigwag, as postgresql.md has it, and WIGWAG_DATABASE_URL signs in as it;
 *              PostgreSQL's own programs are a superuser's
 *   database   the database is migrated
 *   gateway    a gateway runs (and the database is migrated)
 *   account    an account ops@acme.example exists, with 50 GHS and the sender ACME; its credentials are in acme.json
 *   sandbox    settings of a sandbox. Otherwise those of production, with the simulator as the carrier
 *
 * Commands run in an empty folder, in which `deploy` is that of the repository. The ports 8080 and 9464 become free ones.
 * WIGWAG_SECRET is set. $HERE is the folder. `sudo` runs its command as it is, and `wigwag-admin` is the shipped one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** The values of WORD above. */
const NOT_RUN = ['docker', 'kubectl', 'root', 'elsewhere', 'checkout', 'carrier'] as const
const DONE = ['start', 'stop', 'restart'] as const
const NEEDS = ['postgres', 'role', 'database', 'gateway', 'account', 'sandbox'] as const
export type Need = (typeof NEEDS)[number]

export interface Block {
  line: number
  mark: string
  text: string
  /** Who runs it: `npm test`, `npm run lab -- interop` alone, or neither. */
  runBy: 'test' | 'interop' | 'none'
  /** In its place the runner starts or stops a gateway. */
  done: boolean
}

export interface Page {
  file: string
  needs: Need[]
  blocks: Block[]
}

export function operatingPages(): Page[] {
  const folder = join(root, 'docs/operating')
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/operating/${file}`)
  return ['docs/operating.md', ...files].map((file) => readPage(file, readFileSync(join(root, file), 'utf8')))
}

export function readPage(file: string, text: string): Page {
  const needs = (/[<]!-- tested with: (.*) -->/.exec(text)?.[1] ?? '')
    .split(/,\s*/)
    .filter((word) => word !== '')
    .map((word) => {
      const need = NEEDS.find((each) => each === word)
      if (!need)
        throw new Error(`${file}: expected "tested with" to name some of ${NEEDS.join(', ')}; got ${word}`)
      return need
    })
  const blocks = [...text.matchAll(/^([ ]*)```sh *(\S*)\n(.*?)^\1```$/gms)].map((found): Block => {
    const [, indent = '', mark = '', inside = ''] = found
    const line = text.slice(0, found.index).split('\n').length
    const done = DONE.some((each) => each === mark)
    if (mark !== '' && mark !== 'interop' && !done && !NOT_RUN.some((each) => each === mark)) {
      const known = ['interop', ...DONE, ...NOT_RUN].join(', ')
      throw new Error(`${file}:${line}: expected sh with one of ${known} behind it, or nothing; got ${mark}`)
    }
    const runBy = mark === 'interop' ? 'interop' : mark === '' || done ? 'test' : 'none'
    return { line, mark, done, runBy, text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }
  })
  return { file, needs, blocks }
}
