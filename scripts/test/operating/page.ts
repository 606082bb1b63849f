/**
 * The pages for operators, docs/operating.md and docs/operating/*.md, and the guides for developers, docs/guides/*.md, are
 * programs: their commands are run, in order.
 *
 * A page's blocks:
 *
 *   ```sh             is run. All blocks of a page share one shell, which ends at the first command that fails.
 *   ```sh start       shows how an operator starts the gateway (systemctl, …). In its place `wigwag serve` is started.
 *   ```sh stop        the same for a stop, and
 *   ```sh restart     for both.
 *   ```sh beside      runs beside the blocks after it, as in another terminal. They begin when it has printed something.
 *   ```sh interop     is run by `npm run lab -- interop`, which has PostgreSQL's own programs, and checked by `npm test`.
 *   ```sh runtimes    is run by `npm run lab -- runtimes`, which has the test runners of others
 *   ```sh languages   the same, which has Python, PHP, Go and Java: scripts/lab/runtimes/languages.ts
 *   ```sh WORD        needs what a test machine lacks, which the word names (see NOT_RUN), or is run by another test: those
 *                     of secrets.md, moving.md and upgrading.md, which stop and start several gateways. It is checked: the
 *                     shell can read it, the commands and flags of `wigwag` in it exist, and so do the files of this
 *                     repository.
 *
 * Other fences (```ini, ```) are text; in a project (below), those whose first line is a comment with the name of a file are
 * written to that file, and one for a CI server is run as that server would. A page says in a comment anywhere what its reader has when it begins:
 *
 *   <!-- tested with: postgres, gateway, account -->
 *
 *   postgres   WIGWAG_DATABASE_URL and PGDATABASE are an empty PostgreSQL database. Otherwise it is file:./wigwag.db
 *   role       that database belongs to the role wigwag, as postgresql.md has it, and WIGWAG_DATABASE_URL signs in as it;
 *              PostgreSQL's own programs are a superuser's
 *   database   the database is migrated
 *   gateway    a gateway runs (and the database is migrated)
 *   account    an account ops@acme.example exists, with 50 GHS and the sender ACME; its credentials are in acme.json
 *   project    an empty folder for a project, where `npm install` finds the packages of this repository, packed, and what is
 *              installed here. Settings of a sandbox; a start also pastes its export lines
 *   sandbox    settings of a sandbox. Otherwise those of production, with the simulator as the carrier
 *
 * Commands run in an empty folder, in which `deploy` is that of the repository. The ports 8080 and 9464, and in a project
 * 3000, become free ones.
 * WIGWAG_SECRET is set. $HERE is the folder. `sudo` runs its command as it is, and `wigwag-admin` is the shipped one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** The values of WORD above. */
const NOT_RUN = ['docker', 'kubectl', 'root', 'elsewhere', 'checkout', 'carrier'] as const
const DONE = ['start', 'stop', 'restart'] as const
/** Run by one test of its own, which has what they need. */
const OWN = ['interop', 'runtimes', 'languages'] as const
const NEEDS = ['postgres', 'role', 'database', 'gateway', 'account', 'project', 'sandbox'] as const
export type Need = (typeof NEEDS)[number]

/** The first line of a file that says its own name. */
const NAMED = /^(?:\/\/|#) ([\w./-]+\.\w+)\n/

export interface Block {
  line: number
  mark: string
  text: string
  /** The file that the block is written to, instead of being run. */
  file: string | undefined
  /** Who runs it: a test of all pages, one of those in the laboratory alone, or neither. */
  runBy: 'test' | (typeof OWN)[number] | 'none'
  /** In its place the runner starts or stops a gateway. */
  done: boolean
}

export interface Page {
  file: string
  needs: Need[]
  blocks: Block[]
}

export function operatingPages(): Page[] {
  const page = 'docs/operating.md'
  return [readPage(page, readFileSync(join(root, page), 'utf8')), ...pagesIn('docs/operating')]
}

export function guides(): Page[] {
  return pagesIn('docs/guides')
}

function pagesIn(folder: string): Page[] {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`)
    .map((file) => readPage(file, readFileSync(join(root, file), 'utf8')))
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
  const fences = [...text.matchAll(/^([ ]*)```(\w+) *(\S*)\n(.*?)^\1```$/gms)]
  const blocks = fences.flatMap((found): Block[] => {
    const [, indent = '', language, mark = '', inside = ''] = found
    const line = text.slice(0, found.index).split('\n').length
    const code = inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    if (language !== 'sh') {
      const name = needs.includes('project') ? NAMED.exec(code)?.[1] : undefined
      return name ? [{ line, mark: '', done: false, file: name, runBy: 'test', text: code }] : []
    }
    const done = DONE.some((each) => each === mark)
    const own = OWN.find((each) => each === mark)
    if (mark !== '' && mark !== 'beside' && !own && !done && !NOT_RUN.some((each) => each === mark)) {
      const known = ['beside', ...OWN, ...DONE, ...NOT_RUN].join(', ')
      throw new Error(`${file}:${line}: expected sh with one of ${known} behind it, or nothing; got ${mark}`)
    }
    const runBy = own ?? (mark === '' || mark === 'beside' || done ? 'test' : 'none')
    return [{ line, mark, done, file: undefined, runBy, text: code }]
  })
  return { file, needs, blocks }
}
