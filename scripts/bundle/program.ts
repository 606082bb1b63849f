import { join } from 'node:path'
import { build } from 'esbuild'

export interface Program {
  code: Uint8Array
  /** The files that it consists of. */
  inputs: string[]
}

/** Joins the connector and all that it needs into one file. It stays readable, for those who review bundles. */
export async function buildProgram(root: string): Promise<Program> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    tsconfig: 'tsconfig.json',
    entryPoints: ['packages/mcp/src/bundle.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // For many concurrent calls over HTTP, which a bundle does not serve. The connector works without it.
    external: ['@wigwag/sdk/node'],
    legalComments: 'none',
    metafile: true,
    write: false,
    outfile: 'main.mjs',
    logLevel: 'error',
  })
  const [output] = Object.values(metafile.outputs)
  const [file] = outputFiles
  if (!output || !file) throw new Error('expected one file of JavaScript')
  const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return { code: file.contents, inputs: used.map(([path]) => join(root, path)) }
}
