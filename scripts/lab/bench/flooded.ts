/**
 * A gateway whose portal is flooded with sign-ins, in its own process, for as long as it is told to: `POST /flood`
 * starts it, and `DELETE /flood` ends it and says how many passwords were checked and how many callers turned away.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Hono } from 'hono'
import { banner } from '../../../packages/server/src/cli/serve/greeting.ts'
import { loadConfig } from '../../../packages/server/src/config/config.ts'
import { compose } from '../../../packages/server/src/gateway/compose.ts'
import { systemClock } from '../../../packages/server/src/kernel/process/clock.ts'
import { openLog } from '../../../packages/server/src/kernel/process/log.ts'
import { listen } from '../../../packages/server/src/net/server/listen.ts'

const PEOPLE = 200
/** When somebody who is turned away comes back. */
const AGAIN_MS = 1_000

const config = loadConfig({}, process.env, process.cwd())
const log = await openLog(config.logLevel, process.stderr)
const onFatal = (error: Error) => {
  throw error
}
const gateway = await compose(config, { clock: systemClock, log, onFatal })
const { portal, requestId, demo } = gateway
const app = new Hono()

let flooding = false
let number = 0
let counts = { checked: 0, busy: 0 }
let people: Promise<unknown> = Promise.resolve()

/** Every attempt has an e-mail and an address of its own: only the lane of passwords stands in its way. */
async function signInAgainAndAgain(): Promise<void> {
  while (flooding) {
    number++
    const { kind } = await portal.signIn({
      email: `${number}@flood.example`,
      password: 'the password of somebody',
      address: [10, number >> 16, number >> 8, number].map((part) => part & 255).join('.'),
    })
    if (kind === 'wrong') counts.checked++
    else if (kind === 'busy') counts.busy++
    else throw new Error(`expected to be wrong or to wait, got ${kind}`)
    if (kind === 'busy') await pause(AGAIN_MS)
  }
}

app.post('/flood', (c) => {
  flooding = true
  counts = { checked: 0, busy: 0 }
  people = Promise.all(Array.from({ length: PEOPLE }, signInAgainAndAgain))
  return c.body(null, 204)
})
app.delete('/flood', async (c) => {
  const seen = { ...counts }
  flooding = false
  await people
  return c.json(seen)
})
app.all('*', (c) => gateway.app.fetch(c.req.raw, c.env))

const listener = await listen({ app, host: config.host, port: 0, requestId })
gateway.servedAt(listener.url)
gateway.start()
process.once('SIGTERM', async () => {
  await listener.close(1_000)
  await gateway.stop()
})
process.stderr.write(
  banner({
    url: listener.url,
    metricsUrl: undefined,
    signInUrl: undefined,
    simulated: undefined,
    config,
    demo,
  }),
)
