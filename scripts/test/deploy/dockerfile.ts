/** One instruction of a Dockerfile, with its lines joined. */
export interface Instruction {
  name: string
  rest: string
}

export interface Stage {
  name: string | undefined
  steps: Instruction[]
}

/** The stages of a Dockerfile, in order. Comments are left out. */
export function stagesOf(text: string): Stage[] {
  const joined = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n\s*/g, ' ')
  const stages: Stage[] = []
  for (const line of joined.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push({ name: / AS (\w+)$/.exec(rest)?.[1], steps: [] })
    else if (name === '') throw new Error(`not an instruction: ${line}`)
    else stages.at(-1)?.steps.push({ name, rest })
  }
  return stages
}

/** The arguments of the stage's last instruction of this name. */
export function lastOf({ steps }: Stage, name: string): string {
  const found = steps.findLast((step) => step.name === name)
  if (!found) throw new Error(`the stage has no ${name}`)
  return found.rest
}

/** The words of `ENTRYPOINT ["…"]`. */
export function wordsOf(rest: string): string[] {
  return JSON.parse(rest.slice(rest.indexOf('[')))
}

/** The variables that a stage sets; `$PATH` stays as it is. */
export function variablesOf({ steps }: Stage): Record<string, string> {
  const pairs = steps
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ rest }) => rest.split(/\s+/))
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  return Object.fromEntries(pairs)
}
