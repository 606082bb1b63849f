import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../tree.ts'
import { ofKubernetes } from './manifests.ts'
import { deploy } from './settings.ts'

it('the Kubernetes manifests have no field that Kubernetes does not know', async () => {
  // The schemas let unknown fields pass; the compiler does not, in what is written out.
  const ours = await ofKubernetes()
  const place = await mkdtemp(join(import.meta.dirname, '.manifests-'))
  try {
    const file = join(place, 'manifests.ts')
    const lines = ours.map((manifest, index) => {
      const type = `import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind}`
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)}`
    })
    expect(lines).toHaveLength(9)
    await writeFile(file, lines.join('\n'))
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', file]
    const { output } = await runNode([join(deploy, '../node_modules/typescript/bin/tsc'), ...flags], place)
    expect(output).toBe('')
  } finally {
    await rm(place, { recursive: true })
  }
})
