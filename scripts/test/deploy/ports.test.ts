import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPlace } from '../../../packages/mcp/src/cli/command-line.ts'
import { loadConfig } from '../../../packages/server/src/config/config.ts'
import { deploy, deployFiles } from './settings.ts'

const root = join(deploy, '..')
const PRODUCTION = { WIGWAG_ENV: 'production', WIGWAG_SECRET: 'x'.repeat(32), WIGWAG_CARRIER: 'simulator' }

/** Programs that a reader of all pages may run on one machine, each with its port. */
const PORTS: Record<string, string> = {
  8000: 'the proxy of several cells',
  8080: 'a gateway',
  8081: 'the desk',
  8083: 'a connector',
  8091: 'the first of two gateways',
  8092: 'the second of two gateways',
  9464: 'metrics',
  9465: 'metrics of the first of two gateways',
  9466: 'metrics of the second of two gateways',
}
/** Each way to set a port, with the program that it is of. */
const SET = [
  [/(?<![A-Z_])WIGWAG_PORT=(\d+)/g, /gateway/],
  [/(?<![A-Z_])WIGWAG_OPERATOR_PORT(?:=|: ')(\d+)/g, /desk/],
  [/(?<![A-Z_])WIGWAG_METRICS_PORT=(\d+)/g, /metrics/],
  [/ -L (80\d\d):/g, /desk/],
] as const

async function pages(): Promise<Map<string, string>> {
  const docs = await readdir(join(root, 'docs'), { recursive: true })
  const files = [
    ...docs.filter((name) => name.endsWith('.md')).map((name) => join(root, 'docs', name)),
    ...['README.md', 'packages/server/README.md', 'packages/mcp/README.md', 'packages/sdk/README.md'].map(
      (name) => join(root, name),
    ),
    ...(await deployFiles()),
  ]
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)))
}

describe('the ports of the pages', () => {
  it('are those that the programs have by themselves', () => {
    const { port, metrics } = loadConfig({}, PRODUCTION)
    const { desk } = loadConfig({}, {})
    expect([
      PORTS[port],
      PORTS[desk?.port ?? 0],
      PORTS[metrics?.port ?? 0],
      PORTS[readPlace({}).port],
    ]).toEqual(['a gateway', 'the desk', 'metrics', 'a connector'])
  })

  it('do not collide: each is set for one program, and every address of this machine is that of one', async () => {
    const wrong: string[] = []
    for (const [file, text] of await pages()) {
      for (const [pattern, of] of SET)
        for (const [found, port = ''] of text.matchAll(pattern))
          if (!of.test(PORTS[port] ?? '')) wrong.push(`${file}: ${found} is ${PORTS[port]}`)
      for (const [found, port = ''] of text.matchAll(/(?:127\.0\.0\.1|localhost):((?:80|90|94)\d\d)\b/g))
        if (!(port in PORTS)) wrong.push(`${file}: ${found} is nobody’s`)
    }
    expect(wrong).toEqual([])
  })

  it('of two gateways are those to which the proxies pass requests', async () => {
    const page = await readFile(join(root, 'docs/operating/postgresql.md'), 'utf8')
    const ports = [...page.matchAll(/(?<![A-Z_])WIGWAG_PORT=(\d+)/g)].map(([, port]) => `127.0.0.1:${port}`)
    expect(ports).toHaveLength(2)
    const nginx = await readFile(join(deploy, 'nginx/wigwag.conf'), 'utf8')
    expect([...nginx.matchAll(/^ +server (127\S+)/gm)].map(([, place]) => place)).toEqual(ports)
    const caddy = await readFile(join(deploy, 'caddy/Caddyfile'), 'utf8')
    expect(caddy).toContain(`{$WIGWAG_GATEWAYS:${ports.join(' ')}}`)
    // One of them has the desk, whatever the settings say that both read.
    expect([...page.matchAll(/(?<![A-Z_])WIGWAG_OPERATOR_PORT=(\d*)\\n/g)].map(([, port]) => port)).toEqual([
      '8081',
      '',
    ])
  })
})
