import { Command } from 'commander'
import { messagesFindCommand } from './messages-find.ts'
import { messagesSettleCommand } from './messages-settle.ts'
import { messagesShowCommand } from './messages-show.ts'
import { messagesStuckCommand } from './messages-stuck.ts'
import { messagesUncertainCommand } from './messages-uncertain.ts'

export function messagesCommand(): Command {
  return new Command('messages')
    .description(
      'Messages of all customers: find and follow them, and settle those that no carrier answered.',
    )
    .addCommand(messagesFindCommand())
    .addCommand(messagesShowCommand())
    .addCommand(messagesStuckCommand())
    .addCommand(messagesUncertainCommand())
    .addCommand(messagesSettleCommand())
}
