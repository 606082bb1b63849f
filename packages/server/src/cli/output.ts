import type { Command } from 'commander'
import { print } from './terminal.ts'

export interface OutputFlags {
  json?: true
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON')
}

/** Prints what a command found: the data as JSON when that was asked for, else the text for people. */
export function output({ json }: OutputFlags, data: unknown, text: string): void {
  if (json) print(JSON.stringify(data, null, 2))
  else if (text !== '') print(text)
}

/** `name  value` lines, the values below each other. */
export function lines(pairs: readonly (readonly [string, string | number])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

/** Rows under their headings, the columns below each other. */
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
