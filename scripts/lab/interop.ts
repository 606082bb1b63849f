/**
 * Runs what an operator installs beside programs that share no code with it, and prints a line for each promise: the
 * gateway with a carrier of Debian's Net::SMPP, Kannel as a client of `wigwag smsc`, two gateways behind nginx and Caddy,
 * PostgreSQL's own backups, PgBouncer in between, fail-overs of Patroni, two cells behind HAProxy, the commands of docs/operating that need PostgreSQL's programs, the files in
 * deploy/, and zsh and fish with the completion of commands. Exits with 1 when a promise does not hold or a part is missing. Twenty minutes, fifteen of which Patroni takes.
 *
 *   apt-get install perl libnet-smpp-perl kannel nginx-light caddy postgresql pgbouncer prometheus systemd
 *       openssl curl zsh fish patroni etcd-server etcd-client haproxy
 *   npm run lab -- interop
 *   npm run lab -- interop nginx Caddy    those whose name has one of these words
 *   npm run lab -- interop patroni --report    writes scripts/lab/reports/fail-over.md too
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cells } from './interop/cells.ts'
import { createCheck } from './interop/check.ts'
import { dumps } from './interop/dumps.ts'
import { files } from './interop/files.ts'
import { kannel } from './interop/kannel.ts'
import { netSmpp } from './interop/net-smpp.ts'
import { pages } from './interop/pages.ts'
import { patroni } from './interop/patroni.ts'
import { pgbouncer } from './interop/pgbouncer.ts'
import { promtool } from './interop/promtool.ts'
import { behind } from './interop/proxies.ts'
import { shells } from './interop/shells.ts'

const { check, failed } = createCheck()
const pairs = [
  { who: 'Wigwag, to a carrier of Net::SMPP', run: netSmpp },
  { who: 'Kannel, to wigwag smsc', run: kannel },
  { who: 'Prometheus’ tool, on metrics, alerts and the dashboard', run: promtool },
  { who: 'zsh and fish, with wigwag completion', run: shells },
  { who: 'nginx, before two gateways', run: behind('nginx') },
  { who: 'Caddy, before two gateways', run: behind('caddy') },
  { who: 'Backups by pg_dump, while clients send', run: dumps },
  { who: 'PgBouncer, before PostgreSQL', run: pgbouncer },
  { who: 'Patroni with etcd and HAProxy, and all that it is there for', run: patroni },
  { who: 'HAProxy, before two cells', run: cells },
  { who: 'The pages of docs/operating, on Debian', run: pages },
  { who: 'The files of deploy/, on Debian', run: files },
]
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isAsked = (who: string) => asked.some((word) => who.toLowerCase().includes(word.toLowerCase()))
const chosen = pairs.filter(({ who }) => asked.length === 0 || isAsked(who))
for (const { who, run } of chosen) {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-interop-'))
  console.log(who)
  // Parts that cannot be started fail here, and say what to install.
  await check('its parts are installed, and end in order', () => run(folder, check))
  await rm(folder, { recursive: true, force: true })
}
if (failed() > 0) console.log(`${failed()} promises do not hold`)
process.exit(failed() === 0 ? 0 : 1)
