/**
 * The tests of the promises: sudden deaths, faults of everything below the gateway, clocks that jump, several gateways at
 * odds, the official suites of the protocol. Prints each figure beside what it must be.
 *
 *   npm run torture                      everything at full length, about two hours
 *   npm run torture -- --short           everything in short forms, as .ci/run does
 *   npm run torture -- kills clocks      some subjects
 *   npm run torture -- kills --report    writes scripts/lab/reports/kills.md as well
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

const root = join(import.meta.dirname, '../..')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    report: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    /** A file for the results of the tests, as vitest writes them. */
    json: { type: 'string' },
  },
})
const unknown = positionals.filter((name) => !(name in SUBJECTS))
if (unknown.length > 0)
  throw new Error(`expected subjects among ${Object.keys(SUBJECTS).join(', ')}, got ${unknown.join(', ')}`)

if (values.short && values.report)
  throw new Error('expected --short or --report: a report is of the full length')

const reporters = values.json
  ? ['--reporter=default', '--reporter=json', `--outputFile.json=${values.json}`]
  : []
const chosen = Object.entries(SUBJECTS).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)
const folder = mkdtempSync(join(tmpdir(), 'wigwag-torture-'))
const failed: string[] = []
try {
  if (values.short) {
    const code = await runTests(chosen.flatMap(([, { tests }]) => tests))
    if (code !== 0) failed.push('tests that are named above')
  } else for (const [name, subject] of chosen) await runFully(name, subject)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join(', ')}`)
  process.exitCode = 1
}

/** Runs a subject at full length, prints what its tests counted, and keeps it where a report is wanted. */
async function runFully(name: string, subject: Subject): Promise<void> {
  console.log(`\n${name}`)
  const file = join(folder, `${name}.jsonl`)
  writeFileSync(file, '')
  const code = await runTests([...subject.tests, '--testTimeout', String(3 * 3_600_000)], {
    TORTURE: 'full',
    TORTURE_FIGURES: file,
  })
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const rows = lines.map((line): Row => JSON.parse(line))
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

async function runTests(tests: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'torture*', ...reporters, ...tests], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code ?? 1
}
