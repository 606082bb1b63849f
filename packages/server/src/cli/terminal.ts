import type { Command } from 'commander'

/** A command failed. Carries the exit code, and what a program can use of the error. */
export class Failed extends Error {
  override readonly name = 'Failed'
  readonly exitCode: 1 | 2 | 3
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, exitCode: 1 | 2 | 3 = 1, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.exitCode = exitCode
    this.details = details
  }
}

/** Writes data to stdout, which is for data only. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Writes a message for the user to stderr. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

export interface OutputFlags {
  json?: true
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON, errors too')
}

/** Prints the result of a command: as JSON with `--json`, else as text. */
export function output({ json }: OutputFlags, data: unknown, text: string): void {
  if (json) print(JSON.stringify(data, null, 2))
  else if (text !== '') print(text)
}

/** `name  value` lines with aligned values. */
export function lines(pairs: readonly (readonly [string, string | number])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

/** A table with headings and aligned columns. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [headings, ...rows.map((row) => row.map(String))]
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A number with its noun: `1 wallet`, `2 wallets`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

/** A span of time for people, in its largest unit: `40 s`, `12 min`, `3 h`, `2 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}
