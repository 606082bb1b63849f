import { AsyncLocalStorage } from 'node:async_hooks'
import { type Smsc, type SmscOptions, type Submitted, startSmsc } from '@wigwag/smpp/testing'
import { Command, Option } from 'commander'
import { systemClock } from '../../kernel/process/clock.ts'
import { milliseconds, percent, perSecond, port } from '../arguments.ts'
import { stopSignal } from '../command-process.ts'
import { listenFailure } from '../failure.ts'
import { type OutputFlags, print, printJson, say, withJson } from '../terminal.ts'

interface SmscFlags extends OutputFlags {
  host: string
  port: number
  password?: string
  tps: number
  receipts: SmscOptions['receipts']
  ids: SmscOptions['ids']
  delay: number
  receiptFirst?: true
  silent: number
  hangup: number
  forget: number
  quiet?: true
}

const AFTER_HELP = `
The last digits of a recipient decide how a message ends, as in the sandbox:
  00001 undelivered     00003 refused         00005 no receipt
  00002 expired         00004 never taken     00006 repeated receipts`

/** A receipt that the gateway could not keep is brought again after this long. */
const AGAIN_MS = 1_000

export function smscCommand(): Command {
  const command = new Command('smsc')
    .description('Play a carrier over SMPP 3.4: take any bind, print each message, and send receipts.')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port; 0 picks a free one', port, 2775)
    .option('--password <text>', 'the password that a bind needs; any will do without')
    .option('--tps <number>', 'messages a second; those beyond are throttled', perSecond, 0)
    .addOption(choice('--receipts <form>', 'how receipts are written', ['text', 'tlv', 'both', 'none']))
    .addOption(
      choice('--ids <form>', 'mixed: hex in answers, decimal in receipts', ['hex', 'decimal', 'mixed']),
    )
    .option('--delay <ms>', 'how long a receipt takes', milliseconds, 1_000)
    .option('--receipt-first', 'send receipts before the answer')
    .option('--silent <percent>', 'messages that are taken and not answered', percent, 0)
    .option('--hangup <percent>', 'messages that are taken, and the connection dropped', percent, 0)
    .option('--forget <percent>', 'messages that are taken and get no receipt', percent, 0)
    .option('--quiet', 'print no messages')
    .addHelpText('after', AFTER_HELP)
  return withJson(command).action(serveSmsc)
}

/** The first choice is the default. */
function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).default(choices[0])
}

async function serveSmsc(flags: SmscFlags): Promise<void> {
  const smsc = await start(flags).catch((error: unknown) => {
    throw listenFailure(error, flags, '--port')
  })
  const asked = stopSignal()
  say(greeting(flags, smsc.port))
  await asked
  const { taken, repeated, refused, throttled } = smsc.counts()
  await smsc.close()
  say(`Taken ${taken}, of these more than once ${repeated}; refused ${refused}, throttled ${throttled}.`)
}

function start(flags: SmscFlags): Promise<Smsc> {
  const { host, port, password, tps, receipts, ids } = flags
  return startSmsc({
    host,
    port,
    password,
    tps,
    receipts,
    ids,
    answerMs: 0,
    againMs: AGAIN_MS,
    delayMs: flags.delay,
    receiptFirst: flags.receiptFirst === true,
    silentPercent: flags.silent,
    hangupPercent: flags.hangup,
    forgetPercent: flags.forget,
    clock: systemClock,
    random: Math.random,
    // A connection from the same process comes in the context of the one that opened it.
    onSubmit: AsyncLocalStorage.bind((submitted: Submitted) => {
      if (flags.quiet) return
      if (flags.json) printJson(withoutMessage(submitted))
      else print(asLine(submitted))
    }),
  })
}

function greeting({ host, password, tps, ids }: SmscFlags, found: number): string {
  const place = `${host.includes(':') ? `[${host}]` : host}:${found}`
  const secret = password === undefined ? 'demo' : encodeURIComponent(password)
  const pace = tps === 0 ? '' : `?tps=${tps}`
  return [
    `Playing a carrier over SMPP on ${place}. The setting for a gateway:`,
    `  WIGWAG_CARRIER='smpp://demo:${secret}@${place}${pace}'`,
    ...(ids === 'mixed' ? ['Its ids need the setting "ids": "hex-then-decimal".'] : []),
  ].join('\n')
}

function asLine({ source, destination, text, part, times }: Submitted): string {
  const which = part === undefined ? '' : ` (part ${part.number} of ${part.of})`
  const again = times === 1 ? '' : ` [time ${times}]`
  return `${source} to ${destination}${which}${again}: ${JSON.stringify(text)}`
}

function withoutMessage({ message: _, ...submitted }: Submitted) {
  return submitted
}
