import { join } from 'node:path'
import { freePort } from '../../../../packages/server/test/support/free-port.ts'
import { listens, startProgram } from '../../interop/program.ts'
import { installInto, root } from '../../runtimes/install.ts'
import { usageOf } from '../rig/usage.ts'
import { loadDocumented, type Rival } from './rival.ts'

/** 90 MB, once. */
const place = join(root, '.cache', 'bench')
const cli = join(place, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js')

/** Prism as a mock of our document. It checks each request, answers the document's example and logs nothing. */
export async function startPrism(folder: string): Promise<Rival> {
  installInto(place, { '@stoplight/prism-cli': '^5.16.0' })
  const port = await freePort()
  const args = ['mock', '--verboseLevel', 'silent', '--port', String(port), join(root, 'openapi.yaml')]
  const program = await startProgram(process.execPath, [cli, ...args], { cwd: folder })
  await listens(port)
  return {
    name: 'Prism',
    keeps: false,
    usage: usageOf(program.pid),
    load: (connections, seconds) => loadDocumented(port, connections, seconds),
    stop: program.stop,
  }
}
