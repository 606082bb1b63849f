import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runNode } from './tree.ts'

const root = join(import.meta.dirname, '../..')
const lab = (...args: string[]) => runNode(['scripts/lab.ts', ...args], root)

describe('the laboratory', () => {
  it('lists what there is, with a sentence each', async () => {
    const { code, output } = await lab()
    const listed = [...output.matchAll(/^ {2}(\w+) +[A-Z][^.]*\.$/gm)].map(([, name]) => `${name}.ts`)
    expect(code).toBe(0)
    expect(listed.toSorted()).toEqual(
      globSync('*.ts', { cwd: join(root, 'scripts/lab') })
        .filter((file) => file !== 'report.ts')
        .toSorted(),
    )
  })

  it('says what it expected instead of a name that it does not know', async () => {
    const { code, output } = await lab('torment')
    expect(code).toBe(2)
    expect(output).toMatch(/^ {2}torture .*got torment\.\n$/ms)
  })

  it.each([
    ['bench', 'expected parts among start, flow,'],
    ['torture', 'expected subjects among fault-points,'],
    ['runtimes', 'Expected names out of engines,'],
  ])('hands to %s what follows its name', async (name, refusal) => {
    const { code, output } = await lab(name, 'nothing-like-it')
    expect(code).not.toBe(0)
    expect(output).toContain(refusal)
    expect(output).toContain('got nothing-like-it')
  })
})
