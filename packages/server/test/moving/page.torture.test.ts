import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runProcess, startProcess } from '../cli/process.ts'
import { temporaryFolder } from '../cli/program.ts'
import { eventually } from '../support/eventually.ts'
import { emptyPostgres } from '../support/postgres.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/operating/moving.md'), 'utf8')
const folder = temporaryFolder()

/** The lines of the page's blocks, in order. */
function commands(): string[] {
  const blocks = [...page.matchAll(/```sh elsewhere\n(.*?)```/gs)].map(([, block = '']) => block)
  return blocks.flatMap((block) => block.split('\n').map((line) => line.trim())).filter((line) => line !== '')
}

async function aDatabase(): Promise<string> {
  const { url, drop } = await emptyPostgres()
  onTestFinished(drop)
  return url
}

/** Starts a gateway and waits until it listens. */
async function serving(args: readonly string[], env: Record<string, string>) {
  const { child, ended, stderr } = startProcess(args, { cwd: folder, env: { WIGWAG_PORT: '0', ...env } })
  await eventually('it listens', () => {
    if (child.exitCode !== null) throw new Error(stderr())
    return /listening on \S+/.test(stderr())
  })
  return async function stop() {
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  }
}

it('is a page whose commands can be run from the first to the last', async () => {
  const stop = await serving(['serve', '--database', 'file:./wigwag.db'], {})
  let running = true
  const [rehearsal, real] = [await aDatabase(), await aDatabase()]
  const env: Record<string, string> = {}
  const run: string[] = []
  for (const line of commands()) {
    const command = line
      .replace('postgres://wigwag@db.example/rehearsal', rehearsal)
      .replace('postgres://wigwag@db.example/wigwag', real)
    const [, name, value = ''] = /^export (\w+)=(.*)$/.exec(command) ?? []
    const args = command.split(' ').slice(1)
    if (args[0] === 'doctor' && running) {
      await stop()
      running = false
    }
    if (name === 'WIGWAG_SECRET') {
      expect(value).toBe('"$(cat wigwag.db.secret)"')
      env[name] = readFileSync(join(folder, 'wigwag.db.secret'), 'utf8').trim()
    } else if (name !== undefined) env[name] = value
    else if (args[0] === 'serve') await (await serving(args, env))()
    else {
      // The server of tests asks for a password, which the command takes in no flag.
      const to = args.indexOf('--to')
      const address = to < 0 ? undefined : args.splice(to, 2)[1]
      const there = { ...env, ...(address !== undefined && { WIGWAG_DATABASE_URL: address }) }
      const { code, stdout, stderr } = await runProcess(args, { cwd: folder, env: there })
      expect({ command, code, said: code === 0 ? '' : stdout + stderr }).toEqual({
        command,
        code: 0,
        said: '',
      })
    }
    run.push(`${name ?? ''}${args[0] === undefined || name ? '' : args[0]}`)
  }
  expect(run).toEqual([
    'WIGWAG_SECRET',
    'backup',
    'move',
    'doctor',
    'WIGWAG_DATABASE_URL',
    'move',
    'doctor',
    'serve',
    'move',
    'serve',
  ])
})

it('is a page whose quoted failures are the ones that the command prints', () => {
  const sources = ['move', 'marks'].map((name) =>
    readFileSync(join(import.meta.dirname, `../../src/operate/moving/${name}.ts`), 'utf8'),
  )
  sources.push(readFileSync(join(import.meta.dirname, '../../src/cli/operator/move.ts'), 'utf8'))
  const text = sources.join('\n').replace(/\$\{[^}]+\}/g, '…')
  const quoted = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, failure = '']) => failure)
  expect(quoted.length).toBe(7)
  expect(quoted.filter((failure) => !text.includes(failure))).toEqual([])
})
