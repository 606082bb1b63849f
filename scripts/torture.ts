/**
 * The tests of the promises at full length: sudden deaths, faults of everything below the gateway, clocks that jump,
 * several gateways at odds. `npm test` runs the same in short forms. Prints each figure beside what it must be.
 *
 *   npm run torture                      everything, about two hours
 *   npm run torture -- kills clocks      some subjects
 *   npm run torture -- kills --report    writes docs/reports/kills.md as well
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printRow, type Row, writeReport } from './report.ts'
import { foldScenes } from './torture/fold.ts'
import { SUBJECTS, type Subject } from './torture/subjects.ts'

const root = join(import.meta.dirname, '..')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !(name in SUBJECTS))
if (unknown.length > 0)
  throw new Error(`expected subjects among ${Object.keys(SUBJECTS).join(', ')}, got ${unknown.join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'wigwag-torture-'))
const failed: string[] = []
try {
  for (const [name, subject] of Object.entries(SUBJECTS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    console.log(`\n${name}`)
    const { code, rows } = await run(name, subject)
    rows.forEach(printRow)
    if (code !== 0) failed.push(name)
    else if (values.report)
      writeReport({
        ...subject,
        name,
        command: `npm run torture -- ${name} --report`,
        findings: foldScenes(rows),
      })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join(', ')}`)
  process.exitCode = 1
}

/** Runs a subject's tests one after the other, and collects what they counted. */
async function run(name: string, { tests }: Subject): Promise<{ code: number; rows: Row[] }> {
  const file = join(folder, `${name}.jsonl`)
  writeFileSync(file, '')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const fully = ['--no-file-parallelism', '--testTimeout', String(3 * 3_600_000)]
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'server', ...fully, ...tests], {
    cwd: root,
    env: { ...process.env, WIGWAG_TORTURE: 'full', WIGWAG_TORTURE_FIGURES: file },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return { code: code ?? 1, rows: lines.map((line): Row => JSON.parse(line)) }
}
