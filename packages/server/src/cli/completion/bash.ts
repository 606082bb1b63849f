import { type Completed, flat, inOneWord } from './words.ts'

/** A function of bash 3.2 or newer. It walks through the words to the command, and offers what may follow it. */
export function bashScript(program: Completed): string {
  const commands = flat(program)
  return `# Completion of wigwag for bash: source <(wigwag completion bash)
_wigwag_data() {
  subs='' opts='' values='' args=''
  case "$1" in
${commands.map(caseOf).join('\n')}
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

function caseOf({ path, commands, options, arguments: places }: Completed): string {
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
