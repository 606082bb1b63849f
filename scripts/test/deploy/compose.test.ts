import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { AS_SHIPPED } from '../../lab/bench/rig/gateways.ts'
import { lastOf, stagesOf, variablesOf } from './dockerfile.ts'
import { assignments, deploy, deployFiles, settingNames } from './settings.ts'

interface Service {
  image: string
  build?: { context: string; dockerfile: string }
  command?: string[]
  env_file?: string
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  depends_on?: string[] | Record<string, { condition: string }>
  read_only?: boolean
  cap_drop?: string[]
  stop_grace_period?: string
}

interface Compose {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}

const read = (file: string) => readFile(join(deploy, file), 'utf8')
const compose = async (file: string): Promise<Compose> => parse(await read(file), { merge: true })
/** How long a stop may take: the limit for requests and the limit for jobs, with room. */
const STOP_SECONDS = 10

describe('settings', () => {
  it('that any file in deploy/ names are settings of the program', async () => {
    const known = await settingNames()
    // Read by the Caddyfile alone.
    known.add('WIGWAG_GATEWAYS')
    for (const file of await deployFiles()) {
      const named = (await readFile(file, 'utf8')).match(/\bWIGWAG_[A-Z_]+\b/g) ?? []
      expect(
        named.filter((name) => !known.has(name)),
        file,
      ).toEqual([])
    }
  })
})

/** Built from this checkout, or a name that an operator replaces. */
const OURS = /^(?:registry\.example\.com\/)?wigwag(?::|$)/

it('every image of others is named by its digest, so that two builds of one checkout are the same', async () => {
  const files = await deployFiles()
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const images = texts.flatMap((text) => [...text.matchAll(/^(?:FROM| *(?:- )?image:) +(\S+)/gm)])
  const others = images.map(([, image = '']) => image).filter((image) => !OURS.test(image))
  expect(others.length).toBeGreaterThan(4)
  for (const image of others) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

describe.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (file) => {
  it('mounts and builds from what exists', async () => {
    for (const [name, { build, volumes = [], env_file }] of Object.entries((await compose(file)).services)) {
      if (build) expect(existsSync(join(deploy, build.context, build.dockerfile)), name).toBe(true)
      if (env_file) expect(existsSync(join(deploy, `${env_file}.example`)), name).toBe(true)
      for (const [from = ''] of volumes.map((volume) => volume.split(':')))
        if (from.startsWith('.')) expect(existsSync(join(deploy, from)), `${name}: ${from}`).toBe(true)
    }
  })

  it('names only services and volumes that it has', async () => {
    const { services, volumes } = await compose(file)
    for (const [name, { depends_on = [], volumes: mounts = [] }] of Object.entries(services)) {
      const others = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)
      expect(Object.keys(services), name).toEqual(expect.arrayContaining(others))
      const named = mounts.map((mount) => mount.split(':')[0]).filter((from) => !from?.startsWith('.'))
      expect(Object.keys(volumes), name).toEqual(expect.arrayContaining(named))
    }
  })

  it('asks for every secret, and the example of .env has each', async () => {
    const known = assignments(await read('.env.example'))
    const asked = [...(await read(file)).matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name)
    expect(known).toEqual(expect.arrayContaining(asked))
    expect(await read(file)).not.toMatch(/PASSWORD: (?!\$\{)/)
  })

  it('runs gateways without rights, on a file system that is read-only, and lets them stop in time', async () => {
    const gateways = Object.values((await compose(file)).services).filter(({ build }) => build)
    expect(gateways.length).toBeGreaterThan(0)
    for (const { read_only, cap_drop, stop_grace_period = '' } of gateways) {
      expect(read_only).toBe(true)
      expect(cap_drop).toEqual(['ALL'])
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(STOP_SECONDS)
    }
  })
})

it.each([
  ['compose.yaml', 'gateway'],
  ['compose.postgres.yaml', 'gateway-1'],
])(
  '%s publishes the desk of %s to its own machine alone, and no other gateway has one',
  async (file, service) => {
    const { services } = await compose(file)
    const { WIGWAG_OPERATOR_PORT: port, WIGWAG_OPERATOR_HOST: host } = services[service]?.environment ?? {}
    expect(host).toBe('0.0.0.0')
    expect(services[service]?.ports).toContain(`127.0.0.1:${port}:${port}`)
    for (const [name, { environment = {} }] of Object.entries(services))
      if (name !== service) expect(environment, name).not.toHaveProperty('WIGWAG_OPERATOR_PORT')
  },
)

describe('ports', () => {
  const image = async () => stagesOf(await read('Dockerfile')).at(-1) ?? { name: undefined, steps: [] }

  it('of the image are those of its settings', async () => {
    const [api, metrics] = lastOf(await image(), 'EXPOSE').split(' ')
    expect(variablesOf(await image()).WIGWAG_PORT).toBe(api)
    expect(await readFile(join(deploy, '../packages/server/src/config/config.ts'), 'utf8')).toContain(
      `text('metricsPort') ?? '${metrics}'`,
    )
  })

  it('at which others look for a gateway are those of the image', async () => {
    const [api, metrics] = lastOf(await image(), 'EXPOSE').split(' ')
    const { services } = await compose('compose.postgres.yaml')
    const gateways = Object.keys(services).filter((name) => name.startsWith('gateway'))
    expect(gateways).toHaveLength(2)
    const { environment = {} } = services.proxy ?? {}
    expect(environment.WIGWAG_GATEWAYS).toBe(gateways.map((name) => `${name}:${api}`).join(' '))
    const { scrape_configs } = parse(await read('compose/prometheus.yml'))
    expect(scrape_configs[0].static_configs[0].targets).toEqual(gateways.map((name) => `${name}:${metrics}`))
    const single = await compose('compose.yaml')
    expect(single.services.gateway?.ports?.[0]).toBe(`127.0.0.1:${api}:${api}`)
  })
})

it('Grafana has the data source that Prometheus is, and reads dashboards where they are mounted', async () => {
  const { services } = await compose('compose.postgres.yaml')
  const { datasources } = parse(await read('compose/grafana-datasource.yml'))
  expect(services).toHaveProperty(new URL(datasources[0].url).hostname)
  const { providers } = parse(await read('compose/grafana-dashboards.yml'))
  expect(services.grafana?.volumes).toContain(`./grafana:${providers[0].options.path}:ro`)
})

it('the systemd unit starts the command that npm installs, with settings from a file of which there is an example', async () => {
  const unit = await read('systemd/wigwag.service')
  expect(unit).toMatch(/^ExecStart=\S+\/wigwag serve$/m)
  expect(unit).toMatch(/^EnvironmentFile=\/etc\/wigwag\/wigwag.env$/m)
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(STOP_SECONDS)
  expect(assignments(await read('systemd/wigwag.env.example'))).toContain('WIGWAG_SECRET')
})

it('Node has as small a heap for what is new as `npm start` gives it, in the unit and in the image', async () => {
  const { scripts } = JSON.parse(await readFile(join(deploy, '../package.json'), 'utf8'))
  const [flag] = /--max-semi-space-size=\d+/.exec(scripts.start) ?? []
  expect(flag).toBeDefined()
  expect(await read('systemd/wigwag.service')).toContain(`\nEnvironment=NODE_OPTIONS=${flag}\n`)
  expect(await read('Dockerfile')).toContain(`NODE_OPTIONS=${flag} `)
  expect(AS_SHIPPED.NODE_OPTIONS).toBe(flag)
})
