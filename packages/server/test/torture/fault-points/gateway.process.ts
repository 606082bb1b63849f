/** A gateway that ends itself with SIGKILL at the step that its one argument names. */
import { banner } from '../../../src/cli/serve/greeting.ts'
import { runOptions } from '../../../src/cli/settings.ts'
import { say } from '../../../src/cli/terminal.ts'
import { compose } from '../../../src/gateway/compose.ts'
import { Network } from '../../../src/net/outbound/outbound.ts'
import { listen } from '../../../src/net/server/listen.ts'
import { createFaultPoint } from './fault-point.ts'
import { withMemory } from './memory.ts'
import type { Ending } from './scene.ts'
import { STEPS } from './steps.ts'

const { step: name, passage, memory }: Ending = JSON.parse(process.argv[2] ?? '')
const step = STEPS[name]
if (!step) throw new Error(`expected one of ${Object.keys(STEPS).join('; ')}, got ${name}`)
const point = createFaultPoint(step, passage)
const { config, ...rest } = await runOptions({ port: '0' })
const { callbacks } = new Network({ allowLoopback: true, allowedCidrs: [] })
const gateway = await compose(config, {
  ...rest,
  outbound: point.aroundReceivers(callbacks),
  aroundDatabase: point.aroundDatabase,
  aroundCarrier: (carrier) => point.aroundCarrier(memory ? withMemory(carrier, memory) : carrier),
})
const { app, requestId, demo } = gateway
const { url } = await listen({
  app: { fetch: point.aroundAnswers(app.fetch) },
  host: config.host,
  port: config.port,
  requestId,
})
gateway.servedAt(url)
gateway.start()
point.arm()
say(banner({ url, metricsUrl: undefined, signInUrl: url, simulated: undefined, config, demo }))
