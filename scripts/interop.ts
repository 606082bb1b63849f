/**
 * Runs the gateway against programs that share no code with it, and prints a line for each promise: Debian's Net::SMPP as
 * a carrier of the gateway, Kannel as a client of `wigwag smsc`, promtool on metrics, alerts and the dashboard, and zsh
 * and fish with the completion of commands. Exits with 1 when a promise does not hold or a part is missing. A minute.
 *
 *   apt-get install perl libnet-smpp-perl kannel prometheus zsh fish
 *   npm run interop
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCheck } from './interop/check.ts'
import { kannel } from './interop/kannel.ts'
import { netSmpp } from './interop/net-smpp.ts'
import { promtool } from './interop/promtool.ts'
import { shells } from './interop/shells.ts'

const { check, failed } = createCheck()
const pairs = [
  { who: 'Wigwag, to a carrier of Net::SMPP', run: netSmpp },
  { who: 'Kannel, to wigwag smsc', run: kannel },
  { who: 'Prometheus’ tool, on metrics, alerts and the dashboard', run: promtool },
  { who: 'zsh and fish, with wigwag completion', run: shells },
]
for (const { who, run } of pairs) {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-interop-'))
  console.log(who)
  // What cannot be started fails here, and says what to install.
  await check('its parts are installed, and end in order', () => run(folder, check))
  await rm(folder, { recursive: true, force: true })
}
if (failed() > 0) console.log(`${failed()} promises do not hold`)
process.exit(failed() === 0 ? 0 : 1)
