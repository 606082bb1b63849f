import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { fixedSentence, sameSettings } from '../../../src/delivery/plan/plan.ts'
import { readPlan } from '../../../src/delivery/plan/read-plan.ts'
import { planOf, problemsOf, TEMPLATE } from './plans.ts'

const routes = [{ prefix: '', carriers: [{ name: 'north' }] }]
const north = { url: 'smpp://user@host', passwordFile: 'north.password' }

const passwordOf = (content: string) => {
  const plan = planOf({ 'carriers.json': { carriers: { north }, routes }, 'north.password': content })
  return plan.carriers.get('north')
}
const problemsWith = (fields: object, files: Record<string, unknown> = {}) =>
  problemsOf(() =>
    planOf({ 'carriers.json': { carriers: { north: fields }, routes }, 'south.json': TEMPLATE, ...files }),
  ).map((problem) => problem.replace(/^\S+ /, ''))

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-password-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

it.each([
  ['swordfish', 'swordfish'],
  ['swordfish\n', 'swordfish'],
  ['swordfish\r\n', 'swordfish'],
  ['swordfish\nof north, since May\n', 'swordfish'],
  [' sword fish \n', ' sword fish '],
  ['\uFEFFswordfish\n', 'swordfish'],
])('a password is the first line of its file without the line break: %j', (content, password) => {
  expect(passwordOf(content)).toMatchObject({ password })
})

it('a password of a file is shown nowhere, and another one is another carrier', () => {
  const [first, second] = [passwordOf('swordfish'), passwordOf('marlin')]
  expect(inspect(first) + JSON.stringify(first)).not.toContain('swordfish')
  expect(first && sameSettings(first, passwordOf('swordfish'))).toBe(true)
  expect(first && sameSettings(first, second)).toBe(false)
})

it('a carrier over HTTP has both its secrets in files', () => {
  const fields = {
    url: 'https://h',
    template: 'south.json',
    passwordFile: 'token',
    receiptsSecretFile: 'receipts',
  }
  const plan = planOf({
    'carriers.json': { carriers: { north: fields }, routes },
    'south.json': TEMPLATE,
    token: 'swordfish\n',
    receipts: 'swordfish-of-receipts\n',
  })
  expect(plan.carriers.get('north')).toMatchObject({
    secret: 'swordfish',
    receiptsSecret: 'swordfish-of-receipts',
  })
})

it.each<[string, Record<string, string>, string]>([
  ['is not there', {}, 'north.password (ENOENT)'],
  ['is empty', { 'north.password': '' }, 'an empty line in north.password'],
  ['begins with an empty line', { 'north.password': '\nswordfish' }, 'an empty line in north.password'],
  ['has a NUL', { 'north.password': 'sword\0fish' }, 'a control character in north.password'],
  [
    'has a long line',
    { 'north.password': 'x'.repeat(1_025) },
    'a line of more than 1024 characters in north.password',
  ],
  [
    'has 2 MiB',
    { 'north.password': 'swordfish\n'.repeat(209_716) },
    'north.password (2097160 bytes, which is no password)',
  ],
])('a file that %s is named with its problem, and its content is not', (_, files, got) => {
  expect(problemsWith(north, files)).toEqual([
    `carriers.north.passwordFile: expected a file with the secret in its first line, got ${got}`,
  ])
})

it('a folder and a pipe are no files of a password, and nothing waits for them', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'a-folder'))
  execFileSync('mkfifo', [join(folder, 'a-pipe')])
  for (const name of ['a-folder', 'a-pipe', '\0', 'x'.repeat(300)]) {
    const file = { carriers: { north: { ...north, passwordFile: name } }, routes }
    writeFileSync(join(folder, 'carriers.json'), JSON.stringify(file))
    expect(problemsOf(() => readPlan('file:./carriers.json', { environment: {}, folder }))).toHaveLength(1)
  }
})

it('a path is relative to the carriers’ file, and a link is followed as those that Kubernetes makes', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'carriers/..data'), { recursive: true })
  writeFileSync(join(folder, 'carriers/..data/north.password'), 'swordfish')
  symlinkSync('..data/north.password', join(folder, 'carriers/north.password'))
  writeFileSync(join(folder, 'carriers/carriers.json'), JSON.stringify({ carriers: { north }, routes }))
  const plan = readPlan('file:carriers/carriers.json', { environment: {}, folder })
  expect(plan.carriers.get('north')).toMatchObject({ password: 'swordfish' })
})

it('a secret is in one place', () => {
  const both = { ...north, passwordEnv: 'NORTH_PASSWORD' }
  expect(problemsWith(both, { 'north.password': 'swordfish' })).toEqual([
    'carriers.north.passwordFile: expected passwordEnv or passwordFile, not both',
  ])
  expect(problemsWith({ url: 'smpp://user@host', password: 'swordfish' })).toContain(
    'carriers.north.password: expected passwordEnv, the name of an environment variable with the password, or passwordFile, the path of a file that has it, because this file gets copied, got "password"',
  )
})

it('knows which passwords a running gateway can’t read again, and says what to do', () => {
  const carriers = {
    north: { url: 'smpp://user@host', passwordEnv: 'NORTH_PASSWORD' },
    south: { url: 'smpp://user@host', passwordEnv: 'SOUTH_PASSWORD' },
    east: { url: 'smpp://user@host', passwordFile: 'east.password' },
  }
  const plan = planOf({ 'carriers.json': { carriers, routes }, 'east.password': 'swordfish' })
  expect(plan.fixed).toEqual([{ carrier: 'north', variable: 'NORTH_PASSWORD' }])
  expect(plan.fixed.map(fixedSentence)).toEqual([
    expect.stringMatching(/^north: a reload can't read NORTH_PASSWORD again, .* restart .* passwordFile$/),
  ])
  expect(readPlan('smpp://user:swordfish@host', { environment: {}, folder: '/' }).fixed).toEqual([
    { carrier: 'host', variable: 'WIGWAG_CARRIER' },
  ])
  expect(readPlan('simulator', { environment: {}, folder: '/' }).fixed).toEqual([])
})
