import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { TicketMaker } from '../kernel/ids.ts'
import { systemClock } from '../kernel/process/clock.ts'
import { EMAIL_RULE, isEmail } from '../kernel/text/entered.ts'
import { MINUTE_MS } from '../kernel/time/spans.ts'
import { composed, explain, sendMail } from '../mail/index.ts'
import { commandProcess } from './command-process.ts'
import { Failed, type OutputFlags, output, withJson } from './terminal.ts'

export function mailCommand(): Command {
  const test = withJson(new Command('test'))
    .description('Send one mail, and say what the mail server answered.')
    .argument('<to>', 'the address that it goes to, such as ops@example.com')
    .addHelpText(
      'after',
      '\nReads WIGWAG_MAIL and WIGWAG_MAIL_FROM, so run it with the settings of the gateway.',
    )
    .action(sendTest)
  return new Command('mail').description('Try the mail server.').addCommand(test)
}

async function sendTest(to: string, flags: OutputFlags): Promise<void> {
  if (!isEmail(to)) throw new Failed(`${EMAIL_RULE} Got ${JSON.stringify(to)}.`, 2)
  const { mail } = loadConfig({}, commandProcess().env, process.cwd())
  if (!mail) throw new Failed('WIGWAG_MAIL is not set: no mails are sent', 2)
  const { host, port } = mail
  const now = systemClock.now()
  const id = new TicketMaker(randomBytes).make(now)
  const said = composed('A test of the mail server', [
    `This gateway can send mails through ${host}.`,
    'It was asked to by the command wigwag mail test, and is not to be answered.',
  ])
  const answer = await sendMail(
    mail,
    { ...said, id, recipient: to, createdAt: now },
    AbortSignal.timeout(MINUTE_MS),
  ).catch((error: unknown) => {
    throw new Failed(`${host}:${port} did not take it: ${explain(error)}`)
  })
  output(flags, { to, server: `${host}:${port}`, answer }, `${host}:${port} took it: ${answer}`)
}
