import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_EMAIL } from '../../src/sandbox/demo.ts'
import { hashPasswordHere } from '../../src/sign-in/portal/passwords/password-hash.ts'
import { startProgram, temporaryFolder } from '../cli/program.ts'
import { type EngineName, makeEmptyPlace } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type Front, openFront } from '../support/front.ts'

const folder = temporaryFolder()

async function startTogether(url: string, count: number): Promise<Front[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, () => openFront(url)))
  const fronts = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failed = started.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  if (failed.length === 0) return fronts
  await Promise.all(fronts.map((front) => front.close()))
  throw failed[0]
}

/** Runs gateways on one new database, one set after the other, and removes it. */
async function onOnePlace(engine: EngineName, work: (url: string) => Promise<void>): Promise<void> {
  const place = await makeEmptyPlace(engine)
  try {
    await work(place.url)
  } finally {
    await place.remove()
  }
}

function signIn({ gateway }: Front, password = gateway.demo?.password ?? 'none') {
  return gateway.portal.signIn({ email: DEMO_EMAIL, password, address: '127.0.0.1' })
}

describe('an empty sandbox', () => {
  it('is given one demo account by all the gateways that start on it at once', () =>
    onOnePlace('PostgreSQL', async (url) => {
      const fronts = await startTogether(url, 4)
      const [first] = fronts
      expect(first?.gateway.demo?.clientId).toMatch(/^wc_/)
      for (const { gateway } of fronts) expect(gateway.demo).toEqual(first?.gateway.demo)
      const accounts = await first?.gateway.database.read(({ db, t }) => db.select().from(t.accounts))
      expect(accounts).toHaveLength(1)
      for (const front of fronts) expect(await signIn(front)).toMatchObject({ kind: 'in' })
      await Promise.all(fronts.map((front) => front.close()))
    }))

  it('keeps its demo account and its sample rates when the gateway starts again', () =>
    onOnePlace('an SQLite file', async (url) => {
      const first = await openFront(url)
      await first.close()
      const second = await openFront(url)
      expect(second.gateway.demo).toEqual(first.gateway.demo)
      await second.close()
    }))
})

describe('the demo account', () => {
  it('names no password any more when an operator has set another one', () =>
    onOnePlace('an SQLite file', async (url) => {
      const first = await openFront(url)
      const cost = { n: 2 ** 11, r: 8, p: 1 }
      await first.gateway.operator.setPassword(DEMO_EMAIL, hashPasswordHere('of the operator', cost))
      await first.close()
      const second = await openFront(url)
      const { password, ...rest } = first.gateway.demo ?? {}
      expect(second.gateway.demo).toEqual(rest)
      expect(await signIn(second, password)).toEqual({ kind: 'wrong' })
      expect(await signIn(second, 'of the operator')).toMatchObject({ kind: 'in' })
      await second.close()
    }))

  it('is named by the banner, with where to sign in, in the sandbox alone', async () => {
    const said = async (env: Record<string, string>) => {
      const server = startProgram(['serve', '--port', '0'], { cwd: folder, env })
      await eventually('it has said all', () =>
        /API reference|"msg":"Wigwag is listening/.test(server.stderr()),
      )
      server.child.kill('SIGTERM')
      await server.ended
      return server.stderr()
    }
    expect(await said({ WIGWAG_DATABASE_URL: `file:${join(folder, 'wigwag.db')}` })).toMatch(
      /^Sign in to the console at http:\/\/127\.0\.0\.1:\d+\/ with demo@wigwag\.dev and the password [0-9a-z]{16}$/m,
    )
    const live = await said({
      WIGWAG_ENV: 'production',
      WIGWAG_SECRET: 's'.repeat(32),
      WIGWAG_CARRIER: 'simulator',
      WIGWAG_DATABASE_URL: `file:${join(folder, 'production.db')}`,
      WIGWAG_METRICS_PORT: '0',
      WIGWAG_LOG_LEVEL: 'warn',
    })
    expect(live).toContain('no one can sign in: set WIGWAG_PUBLIC_URL')
    expect(live).not.toMatch(/demo@|password/i)
  })
})
