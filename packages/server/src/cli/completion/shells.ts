import type { Argument, Command, Option } from 'commander'

/** A function of bash 3.2 or newer. It walks through the words to the command, and offers what may follow it. */
export function bashScript(program: Completed): string {
  const commands = flat(program)
  return `# Completion of wigwag for bash: source <(wigwag completion bash)
_wigwag_data() {
  subs='' opts='' values='' args=''
  case "$1" in
${commands.map(bashCase).join('\n')}
  *) return 1 ;;
  esac
}

_wigwag_offer() {
  case "$1" in
  file) compopt -o default 2>/dev/null; COMPREPLY=() ;;
  none) COMPREPLY=() ;;
  *) COMPREPLY=($(compgen -W "\${1//|/ }" -- "$cur")) ;;
  esac
}

_wigwag() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' subs opts values args word entry want='' place=0 at
  COMPREPLY=()
  _wigwag_data ''
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ -n $want ]]; then want=''; continue; fi
    if [[ $word == -* ]]; then
      for entry in $values; do [[ $entry == "$word="* ]] && want=\${entry#*=}; done
    elif [[ " $subs " == *" $word "* ]]; then
      path="\${path:+$path }$word"
      _wigwag_data "$path"
      place=0
    else
      ((place++))
    fi
  done
  if [[ -n $want ]]; then _wigwag_offer "$want"
  elif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$opts" -- "$cur"))
  elif [[ -n $subs ]]; then COMPREPLY=($(compgen -W "$subs" -- "$cur"))
  else
    set -- $args
    shift "$place" 2>/dev/null || return 0
    [[ -n $1 ]] && _wigwag_offer "$1"
  fi
  return 0
}
complete -F _wigwag wigwag
`
}

function bashCase({ path, commands, options, arguments: places }: Completed): string {
  const subs = commands.map((child) => child.path.split(' ').at(-1)).join(' ')
  const opts = options.flatMap(({ names }) => names).join(' ')
  const values = options
    .flatMap(({ names, value }) =>
      value === undefined ? [] : names.map((name) => `${name}=${inOneWord(value)}`),
    )
    .join(' ')
  const args = places.map(inOneWord).join(' ')
  return `  '${path}') subs='${subs}' opts='${opts}' values='${values}' args='${args}' ;;`
}

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
        else if contains -- "$path $word" ${commands.map(({ path }) => fishQuoted(` ${path}`)).join(' ')}
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
  const at = `complete -c wigwag -n ${fishQuoted(`__wigwag_at ${fishQuoted(path === '' ? '' : ` ${path}`)}`)}`
  return [
    ...commands.map(
      ({ path: child, summary }) =>
        `${at} -a ${fishQuoted(child.split(' ').at(-1) ?? '')} -d ${fishQuoted(summary)}`,
    ),
    ...options.map(({ names, summary, value }) => {
      const given = names.map((name) =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      )
      return `${at} ${given.join(' ')}${value === undefined ? '' : ` ${value === 'file' ? '-r' : '-x'}${offered(value)}`} -d ${fishQuoted(summary)}`
    }),
    ...places.flatMap((value) => (value === 'none' ? [] : [`${at}${offered(value)}`])),
  ]
}

function offered(value: Value): string {
  if (value === 'file') return ' -F'
  return value === 'none' ? '' : ` -a ${fishQuoted(value.join(' '))}`
}

function fishQuoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** A completion function with descriptions. Starts zsh's completion where the shell has not. */
export function zshScript(program: Completed): string {
  return `#compdef wigwag
# Completion of wigwag for zsh: source <(wigwag completion zsh)
_wigwag_data() {
  subs=() opts=() values=() args=()
  case "$1" in
${flat(program).map(zshCase).join('\n')}
  esac
}

_wigwag_offer() {
  case "$1" in
    file) _files ;;
    none) ;;
    *) compadd -- \${(s:|:)1} ;;
  esac
}

_wigwag() {
  local path_='' word want='' entry
  local -a subs opts values args
  integer place=1 at
  _wigwag_data ''
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    if [[ -n $want ]]; then want=''; continue; fi
    if [[ $word == -* ]]; then
      for entry in $values; do [[ $entry == "$word="* ]] && want=\${entry#*=}; done
    elif (( \${subs[(I)\${word}:*]} )); then
      path_="\${path_:+$path_ }$word"
      _wigwag_data "$path_"
      place=1
    else
      (( place++ ))
    fi
  done
  if [[ -n $want ]]; then _wigwag_offer "$want"
  elif [[ \${words[CURRENT]} == -* ]]; then _describe -o option opts
  elif (( $#subs )); then _describe command subs
  elif (( place <= $#args )); then _wigwag_offer "\${args[place]}"
  fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _wigwag wigwag
`
}

function zshCase({ path, commands, options, arguments: places }: Completed): string {
  const subs = commands.map((child) => described(child.path.split(' ').at(-1) ?? '', child.summary))
  const opts = options.flatMap(({ names, summary }) => names.map((name) => described(name, summary)))
  const values = options.flatMap(({ names, value }) =>
    value === undefined ? [] : names.map((name) => zshQuoted(`${name}=${inOneWord(value)}`)),
  )
  const args = places.map((value) => zshQuoted(inOneWord(value)))
  return `    '${path}')
      subs=(${subs.join(' ')})
      opts=(${opts.join(' ')})
      values=(${values.join(' ')})
      args=(${args.join(' ')}) ;;`
}

function described(word: string, summary: string): string {
  return zshQuoted(`${word}:${summary.replaceAll(':', '\\:')}`)
}

function zshQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Completions for a value: these words, names of files, or nothing. */
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
function flat(command: Completed): Completed[] {
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
function inOneWord(value: Value): string {
  return typeof value === 'string' ? value : value.join('|')
}
