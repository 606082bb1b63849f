import { Command } from 'commander'
import type { Finding } from '../kernel/finding.ts'
import { inspect } from '../operate/doctor/index.ts'
import { describeFailure } from './failure.ts'
import { type StoreFlags, withReader } from './operator/store.ts'
import { withDatabase } from './settings.ts'
import { counted, Failed, findingLine, type OutputFlags, output, withJson } from './terminal.ts'

export function doctorCommand(): Command {
  return withJson(withDatabase(new Command('doctor')))
    .description(
      'Check the installation and the ledger, without changing anything; exit code 1 if something is wrong now.',
    )
    .action(examine)
}

async function examine(flags: StoreFlags & OutputFlags): Promise<void> {
  const findings = await withReader(flags, (database, config) =>
    inspect(database, config, { explain: (error) => describeFailure(error).message }),
  ).catch((error: unknown): Finding[] => {
    const { message, exitCode } = describeFailure(error)
    if (exitCode === 2) throw error
    return [{ check: 'database', state: 'fail', detail: message }]
  })
  const width = Math.max(...findings.map(({ check }) => check.length))
  const text = findings.map((finding) => findingLine(finding, width))
  const shown = findings.map(({ check, state, detail }) => ({ check, state, detail }))
  output(flags, shown, text.join('\n'))
  const failed = findings.filter(({ state }) => state === 'fail').length
  const wrong = findings.filter(({ isWrong }) => isWrong).length
  const said = [
    ...(failed > 0 ? [`${counted(failed, 'check')} failed`] : []),
    ...(wrong > 0 ? [`${counted(wrong, 'finding says', 'findings say')} that something is wrong`] : []),
  ]
  if (said.length > 0) throw new Failed(said.join(', and '))
}
