import { type Completed, flat, type Value } from './words.ts'

/** A line for each command and option, with its description. */
export function fishScript(program: Completed): string {
  const commands = flat(program)
  const withValues = commands.flatMap(({ options }) =>
    options.flatMap(({ names, value }) => (value === undefined ? [] : names)),
  )
  return `# Completion of wigwag for fish: wigwag completion fish > ~/.config/fish/completions/wigwag.fish
function __wigwag_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l path
    set -l skip 0
    for word in $words
        if test $skip -eq 1
            set skip 0
        else if string match -q -- '-*' $word
            contains -- $word ${[...new Set(withValues)].join(' ')}; and set skip 1
        else if contains -- "$path $word" ${commands.map(({ path }) => quoted(` ${path}`)).join(' ')}
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
complete -c wigwag -f
${commands.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, commands, options, arguments: places }: Completed): string[] {
  const at = `complete -c wigwag -n ${quoted(`__wigwag_at ${quoted(path === '' ? '' : ` ${path}`)}`)}`
  return [
    ...commands.map(
      ({ path: child, summary }) => `${at} -a ${quoted(child.split(' ').at(-1) ?? '')} -d ${quoted(summary)}`,
    ),
    ...options.map(({ names, summary, value }) => {
      const given = names.map((name) =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      )
      return `${at} ${given.join(' ')}${value === undefined ? '' : ` ${value === 'file' ? '-r' : '-x'}${offered(value)}`} -d ${quoted(summary)}`
    }),
    ...places.flatMap((value) => (value === 'none' ? [] : [`${at}${offered(value)}`])),
  ]
}

function offered(value: Value): string {
  if (value === 'file') return ' -F'
  return value === 'none' ? '' : ` -a ${quoted(value.join(' '))}`
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
