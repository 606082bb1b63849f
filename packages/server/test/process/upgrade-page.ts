import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { runProcess } from '../cli/process.ts'
import type { Version } from './made-up-versions.ts'
import { type Server, serving, startServer } from './server.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/operating/upgrading.md'), 'utf8')
const run = promisify(execFile)

/** Where a gateway runs, with the version that is installed there. */
export interface Machine {
  installed: Version
  server: Server
}

export interface Surroundings {
  folder: string
  env: Record<string, string>
}

/** The commands that the page names for several gateways: on the first machine, on each one, and at the end. */
export function commandsForSeveral(): { first: string[]; each: string[]; last: string[] } {
  const section = /\n## Several gateways.*?\n(?=## )/s.exec(PAGE)?.[0] ?? ''
  const blocks = [...section.matchAll(/```sh elsewhere\n(.*?)```/gs)].map(([, block = '']) =>
    block
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )
  const [first = [], each = [], last = []] = blocks
  expect(blocks.length).toBe(3)
  return { first, each, last }
}

export const startOn = (version: Version, { folder, env }: Surroundings): Promise<Server> =>
  startServer({ folder, env, program: serving(version.main) })

/** Does on a machine what a line of the page says, with `version` as the newest. Returns what was printed. */
export async function perform(
  line: string,
  { machine, version, ...around }: { machine: Machine; version: Version } & Surroundings,
): Promise<string> {
  const [program = '', ...args] = line.split(' ')
  if (line.startsWith('sudo npm install ')) {
    machine.installed = version
    return ''
  }
  if (line === 'sudo systemctl restart wigwag') {
    expect(await machine.server.stop()).toMatchObject({ code: 0 })
    machine.server = await startOn(machine.installed, around)
    return ''
  }
  if (program === 'curl') {
    const { stdout } = await run(
      'curl',
      args.map((word) => word.replace('http://127.0.0.1:8080', machine.server.url)),
    )
    return stdout
  }
  expect(program).toBe('wigwag')
  const { folder, env } = around
  const { code, stdout, stderr } = await runProcess(args, {
    cwd: folder,
    env,
    program: machine.installed.main,
  })
  expect({ line, code, said: code === 0 ? '' : stdout + stderr }).toEqual({ line, code: 0, said: '' })
  return stdout + stderr
}
