import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IConfigMap, ISecret } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../../packages/server/src/config/config.ts'
import { planHere } from '../../../packages/server/src/operate/doctor/index.ts'
import { manifests } from './manifests.ts'
import { deploy } from './settings.ts'

const read = (file: string) => readFile(join(deploy, file), 'utf8')
const EXAMPLE = 'carriers/carriers.example.json'
const SETTING = /file:\/etc\/wigwag\/carriers\/carriers\.json/

/** The view of a gateway in a set-up: its setting, and a folder that stands for the root of its file system. */
interface Sight {
  setting: string
  root: string
}

let top: string
beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'wigwag-carriers-'))
})
afterAll(() => rm(top, { recursive: true, force: true }))

/** An operator's copy of the example, with a password for each carrier that it names. */
async function filledIn(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await cp(join(deploy, EXAMPLE), join(folder, 'carriers.json'))
  for (const [, name = ''] of (await read(EXAMPLE)).matchAll(/"passwordFile": "([^"]+)"/g))
    await writeFile(join(folder, name), `password of ${name}\n`)
}

/** The value that a file with settings offers for the carriers' file. */
async function settingIn(file: string): Promise<string> {
  return SETTING.exec(await read(file))?.[0] ?? ''
}

async function systemd(): Promise<Sight> {
  const unit = await read('systemd/wigwag.service')
  const host = join(top, 'systemd-host')
  const root = join(top, 'systemd')
  await filledIn(join(host, 'etc/wigwag/carriers'))
  // Nothing of it but what is bound.
  expect(unit).toContain('\nTemporaryFileSystem=/etc/wigwag:ro\n')
  for (const [, path = ''] of unit.matchAll(/^BindReadOnlyPaths=-?(\S+)$/gm))
    await cp(join(host, path), join(root, path), { recursive: true })
  return { setting: await settingIn('systemd/wigwag.env.example'), root }
}

async function compose(file: string, service: string): Promise<Sight> {
  const { services } = parse(await read(file), { merge: true })
  const root = join(top, file, service)
  const host = join(top, `${file}-host`)
  await filledIn(join(host, 'carriers'))
  const { volumes, tmpfs }: { volumes: string[]; tmpfs: string[] } = services[service]
  for (const [from = '', to = '', mode] of volumes.map((volume) => volume.split(':'))) {
    if (!from.startsWith('./')) continue
    expect(mode).toBe('ro')
    expect(tmpfs.filter((place) => to.startsWith(`${place}/`))).toEqual([])
    await cp(join(host, from), join(root, to), { recursive: true })
  }
  return { setting: await settingIn('.env.example'), root }
}

async function kubernetes(): Promise<Sight> {
  const all = await manifests()
  const named = <T>(kind: string, name: string) =>
    all.find((each) => each.kind === kind && each.metadata.name === name) as T | undefined
  const { spec } = named<IDeployment>('Deployment', 'wigwag') ?? {}
  const pod = spec?.template.spec
  const root = join(top, 'kubernetes')
  for (const { name, mountPath } of pod?.containers[0]?.volumeMounts ?? []) {
    const place = join(root, mountPath)
    await mkdir(place, { recursive: true })
    const volume = pod?.volumes?.find((each) => each.name === name)
    for (const { configMap, secret } of volume?.projected?.sources ?? []) {
      const files = configMap
        ? named<IConfigMap>('ConfigMap', configMap.name ?? '')?.data
        : named<ISecret>('Secret', secret?.name ?? '')?.stringData
      expect(files).toBeDefined()
      for (const [file, text] of Object.entries(files ?? {})) await writeFile(join(place, file), text)
    }
  }
  const settings = named<IConfigMap>('ConfigMap', 'wigwag')?.data ?? {}
  return { setting: settings.WIGWAG_CARRIER ?? '', root }
}

describe.each<[string, () => Promise<Sight>]>([
  ['systemd', systemd],
  ['compose.yaml', () => compose('compose.yaml', 'gateway')],
  ['compose.postgres.yaml, the first gateway', () => compose('compose.postgres.yaml', 'gateway-1')],
  ['compose.postgres.yaml, the second gateway', () => compose('compose.postgres.yaml', 'gateway-2')],
  ['Kubernetes', kubernetes],
])('%s', (_, see) => {
  it('runs two carriers from its carriers’ file, with passwords that a reload reads again', async () => {
    const { setting, root } = await see()
    const plan = () =>
      planHere(
        loadConfig(
          {},
          {
            WIGWAG_ENV: 'production',
            WIGWAG_SECRET: 'x'.repeat(32),
            WIGWAG_CARRIER: setting.replace('file:', `file:${root}`),
          },
        ),
      )
    const { carriers, routes, warnings, fixed } = plan()
    expect([...carriers.keys()]).toEqual(['north', 'south'])
    expect(routes.routes.map(({ ways }) => ways.map(({ name }) => name))).toEqual([['north', 'south']])
    expect({ warnings, fixed }).toEqual({ warnings: [], fixed: [] })
    await writeFile(join(root, 'etc/wigwag/carriers/south.password'), 'another one')
    expect(plan().carriers.get('south')).toMatchObject({ password: 'another one' })
  })
})

it('the file in Kubernetes is the example', async () => {
  const found = (await manifests()).find(({ metadata }) => metadata.name === 'wigwag-carriers')
  const text = (found as IConfigMap | undefined)?.data?.['carriers.json'] ?? ''
  const [start = ''] = text.split('\n')
  const example = await read(EXAMPLE)
  expect(text.trim()).toBe(example.slice(example.indexOf(`\n${start}\n`)).trim())
})

it('passwords of an operator are in neither the repository nor an image', async () => {
  expect(await readdir(join(deploy, 'carriers'))).toContain('carriers.example.json')
  const ignored = await readFile(join(deploy, '../.gitignore'), 'utf8')
  expect(ignored).toContain('\n/deploy/carriers/*\n!/deploy/carriers/*.example*\n')
})
