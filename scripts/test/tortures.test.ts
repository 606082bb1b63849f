import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { foldScenes } from '../lab/torture/fold.ts'
import { SUBJECTS } from '../lab/torture/subjects.ts'

const root = join(import.meta.dirname, '../..')

const row = (scene: string, what: string, figure: string, goal = '0') => ({
  what: `${scene}: ${what}`,
  figure,
  goal,
})

describe('the report of many scenes', () => {
  it('has one row for what all of them counted, with the least and the most', () => {
    const scenes = ['a', 'b', 'c', 'd']
    expect(
      foldScenes([
        ...scenes.flatMap((scene, index) => [
          row(scene, 'messages: all', `${index + 1},000`, '≥ 1'),
          row(scene, 'missing', '0'),
        ]),
        row('d', 'missing', '2', ''),
      ]),
    ).toEqual([
      { what: 'messages: all, each of 4 scenes', figure: '1,000 to 4,000', goal: '≥ 1' },
      { what: 'missing, each of 4 scenes', figure: '0', goal: '0' },
      { what: 'd: missing', figure: '2', goal: '' },
    ])
  })

  it('leaves three scenes as they are', () => {
    const rows = ['a', 'b', 'c'].map((scene) => row(scene, 'missing', '0'))
    expect(foldScenes(rows)).toEqual(rows)
  })
})

describe('the subjects of tortures', () => {
  const tests = Object.values(SUBJECTS).flatMap((subject) => subject.tests)
  const files = globSync('{packages/*/test,scripts/test}/**/*.torture.test.ts', { cwd: root })

  it('have every torture test in one of them', () => {
    const places = files.map((file) => [file, tests.filter((test) => file.startsWith(test)).length])
    expect(places.filter(([, count]) => count !== 1)).toEqual([])
  })

  it('have a torture test in every place that they name', () => {
    expect(tests.filter((test) => !files.some((file) => file.startsWith(test)))).toEqual([])
  })
})
