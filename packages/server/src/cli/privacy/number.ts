import { Command } from 'commander'
import { createEraseNumber } from '../../privacy/index.ts'
import { phoneNumber } from '../arguments.ts'
import { withParts, withReason } from '../operator/store.ts'
import { counted, Failed, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { clearIfAsked, type EraseFlags, requireYes, withErasing } from './clear.ts'

export function numberCommand(): Command {
  const erase = withErasing(withJson(withReason(new Command('erase'))))
    .description(
      'Remove a number, the texts sent to it and the callbacks about them, but not money and totals.',
    )
    .argument('<number>', 'in international form, such as 233241234567', phoneNumber)
    .addHelpText('after', HELP)
    .action(eraseNumber)
  return new Command('number').description('Phone numbers of recipients.').addCommand(erase)
}

const HELP = `
Scheduled messages to the number are cancelled. Messages under way keep it until
they are final: the command then exits with code 1 and is to be run again. The
number is found with its national prefix as well (233 0 24…), whichever way it
is given. It is not blocked: a later send to it is stored again. The reason
is kept, so leave the number out of it.`

async function eraseNumber(number: string, flags: EraseFlags & OutputFlags): Promise<void> {
  requireYes(flags, `Erasing ${number}`)
  const { removed, cancelled, underWay } = await withParts(flags, (parts) => createEraseNumber(parts)(number))
  await clearIfAsked(flags)
  const rows = Object.entries(removed)
  output(flags, { removed, cancelled, underWay }, rows.length > 0 ? table(['TABLE', 'ROWS'], rows) : '')
  if (rows.length === 0) say('The number was found nowhere.')
  if (cancelled > 0) say(`${counted(cancelled, 'scheduled message')} cancelled.`)
  if (underWay > 0)
    throw new Failed(
      `${counted(underWay, 'message is', 'messages are')} under way and still ${underWay === 1 ? 'has' : 'have'} the number: run this again when they are final`,
    )
}
