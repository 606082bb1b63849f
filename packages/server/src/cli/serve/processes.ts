import type { Config } from '../../config/config.ts'
import type { Gateway } from '../../gateway/compose.ts'
import type { RunOptions } from '../../gateway/operator-parts.ts'
import { FirstProcess } from '../../gateway/processes/first-process.ts'
import type { Greeting } from '../../gateway/processes/messages.ts'
import type { OwnProcess } from '../../gateway/processes/own-process.ts'
import { systemClock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { commandProcess, stopSignal } from '../command-process.ts'
import { greet, sayStopping } from './greeting.ts'

/** Runs several gateways, and ends with the worst of their exit codes. */
export async function watchOver(config: Config, { log }: RunOptions): Promise<void> {
  const running = commandProcess()
  const first = new FirstProcess(
    { clock: systemClock, log },
    { processes: config.processes, onUp: (greeting) => greet(greeting, config, log) },
  )
  void stopSignal(() => first.endAtOnce()).then(() => {
    sayStopping(config, log)
    first.stop()
  })
  running.on('SIGHUP', () => first.reload())
  const code = await first.run()
  // Why is said by the process that ended with it.
  if (code !== 0) running.exit(code)
}

/** Resolves when this process, one of several, is to stop. */
export async function serveAmongOthers(
  own: OwnProcess,
  gateway: Pick<Gateway, 'reloadCarriers' | 'snapshot'>,
  greeting: Greeting,
  log: Logger,
): Promise<void> {
  own.ready(greeting, {
    reload: () => void gateway.reloadCarriers(),
    snapshot: () => gateway.snapshot(),
    onFault: (err) => log.error({ err }, 'the first process did not get its answer'),
  })
  const why = await own.stopAsked()
  if (why === 'alone') log.error('the first process is gone; stopping')
}
