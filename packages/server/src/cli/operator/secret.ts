import { Command } from 'commander'
import { createOperatorAudit } from '../../audit/index.ts'
import { withoutSecret } from '../../delivery/index.ts'
import { type Resealed, reseal } from '../../platform/secrets/reseal.ts'
import { counted, Failed, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

export function secretCommand(): Command {
  const again = withJson(withAudit(new Command('reseal')))
    .description(
      'Seal everything in the database again with WIGWAG_SECRET, in place of WIGWAG_SECRET_PREVIOUS.',
    )
    .addHelpText(
      'after',
      '\nEvery gateway must have both secrets when this runs: otherwise it is refused. If it is interrupted, run it again.',
    )
    .action(sealAgain)
  return new Command('secret')
    .description('The secret of the gateway, which seals secrets in the database.')
    .addCommand(again)
}

async function sealAgain(flags: StoreFlags & OutputFlags): Promise<void> {
  const { total, resealed, stuck } = await withParts(flags, async (parts) => {
    const { database } = parts
    const boxes = parts.boxes()
    const lacking = withoutSecret(await parts.carriers.reports(), boxes[0].name)
    if (lacking.length > 0) throw new Failed(refusal(lacking))
    const done = await reseal(database, boxes)
    const audit = createOperatorAudit(parts)
    await database.write((tx) => audit(tx, { action: 'secret.reseal', detail: counts(done) }))
    return done
  })
  output(flags, { total, resealed, stuck }, '')
  say(
    `${counted(resealed, 'value was', 'values were')} sealed again; ${total} are sealed with the secret now.`,
  )
  for (const hint of stuck) say(`No secret opens ${hint}.`)
  if (stuck.length > 0) throw new Failed(`${counted(stuck.length, 'sealed value')} could not be opened`)
}

function refusal(gateways: readonly string[]): string {
  const names = gateways.join(', ')
  return `WIGWAG_SECRET: expected every gateway to know it, and ${names} ${gateways.length === 1 ? 'does' : 'do'} not: restart with it and WIGWAG_SECRET_PREVIOUS, then run this again. A gateway that was killed counts for half a minute.`
}

function counts({ total, resealed, stuck }: Resealed) {
  return { total, resealed, stuck: stuck.length }
}
