import { type Completed, flat, inOneWord } from './words.ts'

/** A completion function with descriptions. Starts zsh's completion where the shell has not. */
export function zshScript(program: Completed): string {
  return `#compdef wigwag
# Completion of wigwag for zsh: source <(wigwag completion zsh)
_wigwag_data() {
  subs=() opts=() values=() args=()
  case "$1" in
${flat(program).map(caseOf).join('\n')}
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

function caseOf({ path, commands, options, arguments: places }: Completed): string {
  const subs = commands.map((child) => described(child.path.split(' ').at(-1) ?? '', child.summary))
  const opts = options.flatMap(({ names, summary }) => names.map((name) => described(name, summary)))
  const values = options.flatMap(({ names, value }) =>
    value === undefined ? [] : names.map((name) => quoted(`${name}=${inOneWord(value)}`)),
  )
  const args = places.map((value) => quoted(inOneWord(value)))
  return `    '${path}')
      subs=(${subs.join(' ')})
      opts=(${opts.join(' ')})
      values=(${values.join(' ')})
      args=(${args.join(' ')}) ;;`
}

function described(word: string, summary: string): string {
  return quoted(`${word}:${summary.replaceAll(':', '\\:')}`)
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
