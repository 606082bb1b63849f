import type { Argument, Command, Option } from 'commander'

/** What a shell can complete a value with: these words, names of files, or nothing. */
export type Value = readonly string[] | 'file' | 'none'

/** A command as a shell completes it. */
export interface Completed {
  /** Its name after those of the commands that it belongs to, such as `account create`; empty for the program. */
  path: string
  summary: string
  commands: readonly Completed[]
  options: readonly { names: readonly string[]; summary: string; value: Value | undefined }[]
  arguments: readonly Value[]
}

/** Reads a program, so that nothing about it has to be listed by hand. */
export function completed(command: Command, parent?: string): Completed {
  const path = parent === undefined ? '' : `${parent} ${command.name()}`.trim()
  return {
    path,
    summary: firstSentence(command.summary() || command.description()),
    commands: command.commands.map((child) => completed(child, path)),
    options: command.createHelp().visibleOptions(command).map(completedOption),
    arguments: command.registeredArguments.map(valueFor),
  }
}

/** A command and all commands below it. */
export function flat(command: Completed): Completed[] {
  return [command, ...command.commands.flatMap(flat)]
}

function completedOption(option: Option) {
  const { short, long, description } = option
  const names = [short, long].filter((name) => name !== undefined)
  const takesValue = option.required || option.optional
  return { names, summary: description, value: takesValue ? valueFor(option) : undefined }
}

function valueFor(value: Option | Argument): Value {
  if (value.argChoices) return value.argChoices
  const name = 'flags' in value ? (/[<[]([^>\]]+)/.exec(value.flags)?.[1] ?? '') : value.name()
  return name === 'file' ? 'file' : 'none'
}

function firstSentence(text: string): string {
  return text.replace(/\.(?:\s.*)?$/s, '')
}

/** A value as one word: choices are separated by bars. */
export function inOneWord(value: Value): string {
  return typeof value === 'string' ? value : value.join('|')
}
