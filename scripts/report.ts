import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform, totalmem } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A line of a report: what was counted or measured, and what it must be, if anything. */
export interface Row {
  what: string
  figure: string
  goal: string
}

export interface Report {
  /** The name of its file in docs/reports. */
  name: string
  title: string
  /** What was done, for a reader who does not know the program. */
  about: string
  command: string
  rows: readonly Row[]
}

export function printRow({ what, figure, goal }: Row): void {
  console.log(`  ${what.padEnd(66)} ${figure.padStart(12)}   ${goal}`)
}

/** Writes what a run found, with all that somebody needs to repeat it. */
export function writeReport({ name, title, about, command, rows }: Report): void {
  const lines = rows.map(({ what, figure, goal }) => `| ${what.trim()} | ${figure} | ${goal} |`)
  const page = [
    `# ${title}`,
    about,
    [
      `- Date: ${new Date().toISOString().slice(0, 10)}`,
      `- Commit: ${commit()}`,
      `- Machine: ${machine()}`,
      `- Command: \`${command}\``,
    ].join('\n'),
    ['| | found | must be |', '|---|---:|---|', ...lines].join('\n'),
  ].join('\n\n')
  const folder = join(root, 'docs', 'reports')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.md`), `${page}\n`)
  console.log(`\nwritten to docs/reports/${name}.md`)
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--', '.', ':!docs/reports') === '' ? '' : ', with changes'
  return `${git('rev-parse', '--short', 'HEAD')}${changed}`
}

function machine(): string {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return [
    `${cpus().length} × ${cpu?.model ?? arch()}`,
    memory,
    platform(),
    `Node ${process.versions.node}`,
  ].join(', ')
}
