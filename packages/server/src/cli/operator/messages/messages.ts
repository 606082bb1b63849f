import { Command } from 'commander'
import { messagesFindCommand } from './find.ts'
import { messagesSetAsideCommand } from './set-aside.ts'
import { messagesSettleCommand } from './settle.ts'
import { messagesShowCommand } from './show.ts'
import { messagesStuckCommand } from './stuck.ts'
import { messagesUncertainCommand } from './uncertain.ts'

export function messagesCommand(): Command {
  return new Command('messages')
    .description(
      'Messages of all customers: find and follow them, and settle those that no carrier answered.',
    )
    .addCommand(messagesFindCommand())
    .addCommand(messagesShowCommand())
    .addCommand(messagesStuckCommand())
    .addCommand(messagesSetAsideCommand())
    .addCommand(messagesUncertainCommand())
    .addCommand(messagesSettleCommand())
}
