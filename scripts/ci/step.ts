import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the checkout, where commands run. */
export const checkout = join(import.meta.dirname, '../..')

/** A command that has ended. */
export interface Step {
  name: string
  passed: boolean
  output: string
  wallMs: number
  /** Of all programs that it started; zero where the system does not count them. */
  processorMs: number
  /** The last lines that it printed. */
  end(lines: number): string
}

export interface StepOptions {
  quiet?: boolean
  /** Beside the environment of this process. */
  env?: Readonly<Record<string, string>>
  folder?: string
}

/** Runs a command and keeps what it prints. A quiet one prints it when it has ended. */
export async function runStep(
  name: string,
  [program = '', ...args]: readonly string[],
  { quiet = false, env = {}, folder = checkout }: StepOptions = {},
): Promise<Step> {
  const [startedAt, processor] = [performance.now(), ofChildren()]
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (!quiet) process.stdout.write(chunk)
    })
  const [code] = await once(child, 'close')
  const output = Buffer.concat(chunks).toString()
  if (quiet) process.stdout.write(output)
  return {
    name,
    passed: code === 0,
    output,
    wallMs: performance.now() - startedAt,
    processorMs: ofChildren() - processor,
    end: (lines) => output.trimEnd().split('\n').slice(-lines).join('\n'),
  }
}

/** Milliseconds of processor time of the programs that were started here and have ended, and of those that they started. */
function ofChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return 0
  }
}
