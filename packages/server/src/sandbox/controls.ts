import type { Hono } from 'hono'
import * as z from 'zod'
import { type FieldError, invalidFields } from '../domain/errors.ts'
import { readSpan } from '../domain/since.ts'
import type { RouteParts } from '../platform/http/app.ts'
import { type HttpContext, readBody } from '../platform/http/body.ts'
import { parseJson } from '../platform/http/validate.ts'
import { readFaults } from './faults/read.ts'
import { faultsInWords } from './faults/settings.ts'
import type { Sandbox } from './wiring.ts'

export interface ControlRoutes extends RouteParts {
  sandbox: Pick<Sandbox, 'clock' | 'faults' | 'forward'>
}

const change = z.object({
  Forward: z.string().optional(),
  Faults: z
    .object({
      Slow: z.string().optional(),
      Lost: z.string().optional(),
      Receivers: z.string().optional(),
      Gateway: z.string().optional(),
    })
    .optional(),
})
const LIMIT = 1_024
/** Times stay far below the last one that programs can write. */
const FARTHEST_DAYS = 366
const FARTHEST_MS = FARTHEST_DAYS * 86_400_000

/**
 * Serves `/sandbox/controls`: the clock and the faults of the console's controls, for `wigwag sandbox`. Not part of the
 * contract. It answers with how they are then: an empty change only asks. Faults name all that are to be on.
 */
export function mountControls(app: Hono, { authenticate, validate, sandbox }: ControlRoutes): void {
  const { clock, faults } = sandbox
  async function apply(c: HttpContext): Promise<Response> {
    const principal = await authenticate(c, { wallet: false })
    const { Forward, Faults } = validate(change, parseJson(await readBody(c, LIMIT)))
    const ms = Forward === undefined ? undefined : readMove(Forward)
    const settings = Faults && readFaultFields(Faults)
    if (ms !== undefined) await sandbox.forward(principal, ms)
    if (settings) faults.set(settings)
    return c.json({
      Now: new Date(clock.now()).toISOString(),
      AheadMs: clock.ahead(),
      Faults: faultsInWords(faults.settings()),
    })
  }

  app.post('/sandbox/controls', apply)
}

function readMove(text: string): number {
  const ms = readSpan(text)
  if (ms !== undefined && ms > 0 && ms <= FARTHEST_MS) return ms
  const detail = `Expected Forward to be a time such as 90s, 30m, 2h or 3d, at most ${FARTHEST_DAYS}d; got ${JSON.stringify(text)}. The clock never goes back.`
  throw invalidFields([{ pointer: '/Forward', code: 'invalid_value', detail }])
}

function readFaultFields({ Slow, Lost, Receivers, Gateway }: NonNullable<z.infer<typeof change>['Faults']>) {
  const read = readFaults({ slow: Slow, lost: Lost, receivers: Receivers, gateway: Gateway })
  if (!('errors' in read)) return read
  throw invalidFields(
    Object.entries(read.errors).map(([name, detail]): FieldError => {
      const pointer = `/Faults/${name.charAt(0).toUpperCase()}${name.slice(1)}`
      return { pointer, code: 'invalid_value', detail }
    }),
  )
}
