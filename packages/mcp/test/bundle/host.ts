/** Does with a bundle as a desktop assistant does: unpacks it, fills in a person's values, and starts it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'

const SCRIPT = join(import.meta.dirname, '../../../../scripts/bundle.ts')

export interface Manifest {
  name: string
  version: string
  icon: string
  server: {
    entry_point: string
    mcp_config: { command: string; args: string[]; env: Record<string, string> }
  }
  tools: { name: string; description: string }[]
  prompts_generated?: boolean
  user_config: Record<string, Field>
}

interface Field {
  type: string
  required?: boolean
  sensitive?: boolean
  default?: string | number | boolean
}

export type Filled = Readonly<Record<string, string | number | boolean>>

/** Makes the bundle in a folder, as `npm run build -- --bundle` does. */
export function makeBundle(folder: string, env: Record<string, string> = {}): Buffer {
  execFileSync(process.execPath, [SCRIPT, folder], { env: { ...process.env, ...env }, stdio: 'pipe' })
  const [file = ''] = readdirSync(folder)
  return readFileSync(join(folder, file))
}

export function unpack(bundle: Uint8Array, into: string): Manifest {
  for (const [path, content] of Object.entries(unzipSync(bundle))) {
    mkdirSync(dirname(join(into, path)), { recursive: true })
    writeFileSync(join(into, path), content)
  }
  return JSON.parse(readFileSync(join(into, 'manifest.json'), 'utf8'))
}

export interface Start {
  args: string[]
  env: Record<string, string>
}

/**
 * The arguments and environment to start the bundle with: values that the person filled in, else the
 * defaults. As in the specification's own code, a variable without either stays as it is written. `node` is
 * the host's.
 */
export function startOf({ server, user_config }: Manifest, folder: string, filled: Filled): Start {
  const values = new Map([['__dirname', folder]])
  for (const [key, field] of Object.entries(user_config)) {
    const value = filled[key] ?? field.default
    if (value !== undefined) values.set(`user_config.${key}`, String(value))
  }
  const replaced = (text: string) =>
    text.replaceAll(/\$\{([^}]+)\}/g, (whole, name: string) => values.get(name) ?? whole)
  const { args, env } = server.mcp_config
  return {
    args: args.map(replaced),
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, replaced(text)])),
  }
}
