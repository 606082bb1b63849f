import { Command } from 'commander'
import { fixedSentence, knownCarriers, type LiveReport } from '../../delivery/index.ts'
import type { OperatorParts } from '../../gateway/operator-parts.ts'
import { planHere } from '../../operate/doctor/index.ts'
import { type StoreFlags, withAudit, withParts, withReason } from '../operator/store.ts'
import { counted, Failed, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { carrierCostsCommand } from './carrier-costs.ts'
import { carrierListCommand, noSuchCarrier } from './carrier-list.ts'
import { carrierTestCommand } from './carrier-test.ts'

type Flags = StoreFlags & OutputFlags

export function carriersCommand(): Command {
  const pause = switchCommand('pause', { one: pauseOne, all: pauseAll })
    .description('Submit nothing to a carrier until it is resumed.')
    .addHelpText('after', '\nIts messages go to the other carriers of their routes, or wait.')
  const resume = switchCommand('resume', { one: resumeOne, all: resumeAll }).description(
    'Submit to a paused carrier again.',
  )
  const reload = withJson(withAudit(new Command('reload')))
    .description('Let running gateways read their carriers again.')
    .addHelpText('after', '\nExits with code 1 if a gateway found problems. It then carries on as before.')
    .action(reloadAll)
  return new Command('carriers')
    .description('The carriers of running gateways, and what WIGWAG_CARRIER says about them.')
    .addCommand(carrierListCommand())
    .addCommand(pause)
    .addCommand(resume)
    .addCommand(reload)
    .addCommand(carrierTestCommand())
    .addCommand(carrierCostsCommand())
}

type Switch = (carrier: string, parts: OperatorParts) => Promise<boolean>

interface SwitchFlags extends Flags {
  all?: true
}

interface Switching {
  one(carrier: string, flags: Flags): Promise<void>
  all(flags: Flags): Promise<void>
}

function switchCommand(name: string, { one, all }: Switching): Command {
  return withJson(withReason(new Command(name)))
    .argument('[carrier]', 'its name, as wigwag carriers list shows it')
    .option('--all', 'all carriers')
    .action((carrier: string | undefined, flags: SwitchFlags) => {
      if ((carrier === undefined) === (flags.all === undefined))
        throw new Failed('expected the name of a carrier, or --all', 2)
      return carrier === undefined ? all(flags) : one(carrier, flags)
    })
}

/** For whoever restores a database: also carriers that only messages name. New ones are not paused. */
async function pauseAll(flags: Flags): Promise<void> {
  const switched = await withParts(flags, async ({ carriers }, config) => {
    const overview = await carriers.overview()
    const withMessages = overview.messages.map(({ carrier }) => carrier).filter((name) => name !== '')
    const known = new Set([...knownCarriers(overview, () => planHere(config)), ...withMessages])
    return turnEach([...known].sort(), (name) => carriers.pause(name))
  })
  if (switched.length === 0) throw new Failed('no carrier is known, so none was paused')
  output(flags, { paused: true, carriers: switched }, '')
  for (const { carrier, changed } of switched) say(`${carrier} is ${changed ? 'paused' : 'already paused'}.`)
  say('Running gateways submit nothing to them within a second.')
}

async function resumeAll(flags: Flags): Promise<void> {
  const switched = await withParts(flags, async ({ carriers }) => {
    const { paused } = await carriers.overview()
    return turnEach([...paused.keys()], (name) => carriers.resume(name))
  })
  output(flags, { paused: false, carriers: switched }, '')
  if (switched.length === 0) return say('No carrier is paused. Nothing was changed.')
  for (const { carrier } of switched) say(`${carrier} is no longer paused.`)
  say('Their messages go out within a second.')
}

async function turnEach(names: readonly string[], change: (name: string) => Promise<boolean>) {
  const turned: { carrier: string; changed: boolean }[] = []
  for (const carrier of names) turned.push({ carrier, changed: await change(carrier) })
  return turned
}

async function pauseOne(carrier: string, flags: Flags): Promise<void> {
  const changed = await turn(carrier, flags, (name, { carriers }) => carriers.pause(name))
  output(flags, { carrier, paused: true, changed }, '')
  say(
    changed
      ? `${carrier} is paused: running gateways submit nothing to it within a second.`
      : `${carrier} is already paused. Nothing was changed.`,
  )
}

async function resumeOne(carrier: string, flags: Flags): Promise<void> {
  const changed = await turn(carrier, flags, (name, { carriers }) => carriers.resume(name))
  output(flags, { carrier, paused: false, changed }, '')
  say(
    changed
      ? `${carrier} is no longer paused: its messages go out within a second.`
      : `${carrier} is not paused. Nothing was changed.`,
  )
}

function turn(carrier: string, flags: Flags, change: Switch): Promise<boolean> {
  return withParts(flags, async (parts, config) => {
    const known = knownCarriers(await parts.carriers.overview(), () => planHere(config))
    if (!known.includes(carrier)) throw noSuchCarrier(carrier, known)
    return change(carrier, parts)
  })
}

/** Gateways look every second, and a carrier that changes may take five to finish what it has. */
const ANSWER_MS = 15_000
const LOOK_MS = 200

async function reloadAll(flags: Flags): Promise<void> {
  const { reports, number } = await withParts(flags, askAndWait)
  const processes = reports.map(({ name, reload, carriers, problems, warnings, fixed = [] }) => ({
    process: name,
    answered: reload >= number,
    carriers: carriers.map(({ carrier }) => carrier),
    problems,
    warnings,
    fixed,
  }))
  if (processes.length === 0) {
    output(flags, { processes }, '')
    say('No gateway runs. A gateway reads its carriers when it starts.')
    return
  }
  const cells = processes.map(({ process, answered, problems, carriers }) => [
    process,
    answered ? (problems.length > 0 ? 'not changed' : 'read') : 'no answer',
    carriers.join(', '),
  ])
  output(flags, { processes }, table(['PROCESS', 'RESULT', 'CARRIERS'], cells))
  for (const { process, answered, problems, warnings } of processes) {
    if (!answered) say(`${process}: no answer within ${ANSWER_MS / 1_000} s; it may be busy or dead`)
    else for (const line of [...problems, ...warnings]) say(`${process}: ${line}`)
  }
  // Gateways of one command have the same environment.
  for (const sentence of new Set(processes.flatMap(({ fixed }) => fixed.map(fixedSentence)))) say(sentence)
  const wrong = processes.filter(({ answered, problems }) => !answered || problems.length > 0).length
  if (wrong > 0) {
    throw new Failed(`${wrong} of ${counted(processes.length, 'gateway')} did not read its carriers again`)
  }
  say(`${counted(processes.length, 'gateway has', 'gateways have')} read the carriers again.`)
}

/** Asks the gateways, and waits until each has reported what it read. */
async function askAndWait({
  carriers,
  clock,
}: OperatorParts): Promise<{ reports: readonly LiveReport[]; number: number }> {
  const running = await carriers.reports()
  if (running.length === 0) return { reports: [], number: 0 }
  const number = await carriers.reload()
  const deadline = clock.elapsed() + ANSWER_MS
  for (;;) {
    const reports = await carriers.reports()
    const all = reports.every(({ reload }) => reload >= number)
    if (all || clock.elapsed() >= deadline) return { reports, number }
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve))
  }
}
