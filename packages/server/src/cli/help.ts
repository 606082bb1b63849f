import { Command } from 'commander'
import { nearestOf } from '../domain/nearest.ts'
import { Failed } from './terminal.ts'

/** Commander's own help reads the first word alone, so below a group it could only show the help of the group. */
export function helpCommand(): Command {
  return new Command('help')
    .description('Show the help of a command.')
    .argument('[command...]', 'such as messages settle')
    .action((words: readonly string[], _flags: unknown, command: Command) => {
      let found: Command | null = command.parent
      for (const word of words) found = childOf(found, word)
      found?.outputHelp()
    })
}

function childOf(parent: Command | null, word: string): Command {
  const commands = parent?.commands ?? []
  const found = commands.find((child) => child.name() === word)
  if (found) return found
  const nearest = nearestOf(
    word,
    commands.map((child) => child.name()),
  )
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  throw new Failed(`${pathOf(parent)} has no command ${JSON.stringify(word)}${hint}`, 2)
}

function pathOf(command: Command | null): string {
  return command ? [pathOf(command.parent), command.name()].join(' ').trim() : ''
}
