import { Command } from 'commander'
import { createEraseAccount, type EraseOptions } from '../../privacy/index.ts'
import { withAudit, withParts } from '../operator/store.ts'
import { lines, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { clearIfAsked, type EraseFlags, requireYes, withErasing } from './clear.ts'

export function accountEraseCommand(): Command {
  return withErasing(withJson(withAudit(new Command('erase'))))
    .description(
      'Erase a suspended account, its messages, its keys and who it belongs to, but not its ledger.',
    )
    .argument('<account>', 'its ID or e-mail')
    .option(
      '--despite-balance',
      'although money is left, which stays in the books and can no longer be spent',
    )
    .option('--despite-open', 'although messages are under way: deletes them and gives their holds back')
    .action(eraseAccount)
}

async function eraseAccount(
  idOrEmail: string,
  flags: EraseFlags & OutputFlags & EraseOptions,
): Promise<void> {
  requireYes(flags, `Erasing account ${idOrEmail}`)
  const erased = await withParts(flags, (parts) => createEraseAccount(parts)(idOrEmail, flags))
  await clearIfAsked(flags)
  const { accountId, wallets } = erased
  output(
    flags,
    erased,
    lines([
      ['account ID', accountId],
      ...wallets.map(
        ({ walletId, balance, currency }) =>
          ['wallet', `${walletId}: ${balance} ${currency} left in the books`] as const,
      ),
    ]),
  )
  say(`Account ${accountId} is erased. Its ledger, its totals and the ids in its audit entries stay.`)
}
