import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform, totalmem } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A line of a report: what was counted or measured, and what it must be, if anything. */
export interface Row {
  what: string
  figure: string
  goal: string
}

/** Figures that are read side by side, without promises. */
export interface Table {
  title: string
  /** The meaning of the columns, a sentence or two each. */
  about: readonly string[]
  columns: readonly string[]
  lines: readonly (readonly string[])[]
}

/** A drawing. It is thousands of lines, so it is kept beside the working tree's other pictures and not in git. */
export interface Picture {
  /** The name of its file in `pictures/`. */
  name: string
  svg: string
}

export type Finding = Row | Table | Picture

export interface Report {
  /** The name of its file in scripts/lab/reports. */
  name: string
  title: string
  /** The method, for a reader who does not know the program. */
  about: string
  command: string
  findings: readonly Finding[]
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

export function print(finding: Finding): void {
  if ('columns' in finding) printTable(finding)
  else if ('figure' in finding) printRow(finding)
}

export function printRow({ what, figure, goal }: Row): void {
  console.log(`  ${what.padEnd(66)} ${figure.padStart(12)}   ${goal}`)
}

function printTable({ title, about, columns, lines }: Table): void {
  const all = [columns, ...lines]
  const widths = columns.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0)))
  const shown = all.map((line) =>
    // Names are read from the left, and figures compared at the right.
    line
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join('  '),
  )
  console.log(`\n  ${title}\n`)
  for (const line of shown) console.log(`  ${line.trimEnd()}`)
  console.log(about.map((sentence) => `\n  ${sentence}`).join(''))
}

/** Writes what a run found, with all that somebody needs to repeat it. */
export function writeReport(report: Report): void {
  const { name, title, about, command, findings } = report
  const tables = findings.filter((finding) => 'columns' in finding)
  const pictures = findings.filter((finding) => 'svg' in finding)
  const rows = findings.filter((finding) => 'figure' in finding)
  const cell = (text: string) => text.trim().replaceAll('|', '\\|')
  const lines = rows.map(({ what, figure, goal }) => `| ${cell(what)} | ${cell(figure)} | ${cell(goal)} |`)
  const page = [
    `# ${title}`,
    about,
    [
      `- Date: ${new Date().toISOString().slice(0, 10)}`,
      `- Commit: ${commit()}`,
      `- Machine: ${machine()}`,
      `- Command: \`${command}\``,
    ].join('\n'),
    ...tables.map(markdownOf),
    ...(tables.length > 0 && lines.length > 0 ? ['## What is promised'] : []),
    ...(lines.length > 0 ? [['| | found | must be |', '|---|---:|---|', ...lines].join('\n')] : []),
  ].join('\n\n')
  const folder = join(import.meta.dirname, 'reports')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.md`), `${page}\n`)
  console.log(`\nwritten to scripts/lab/reports/${name}.md`)
  for (const picture of pictures) draw(picture)
}

function draw({ name, svg }: Picture): void {
  const folder = join(root, 'pictures')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.svg`), svg)
  console.log(`drawn in pictures/${name}.svg`)
}

function markdownOf({ title, about, columns, lines }: Table): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = `|${columns.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`
  return [`## ${title}`, [row(columns), rule, ...lines.map(row)].join('\n'), ...about].join('\n\n')
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const changed =
    git('status', '--porcelain', '--', '.', ':!scripts/lab/reports') === '' ? '' : ', with changes'
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
