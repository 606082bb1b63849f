import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { SUBJECTS } from '../lab/torture/subjects.ts'

const root = `${import.meta.dirname}/../..`
const order = Object.values(SUBJECTS).flatMap(({ tests }) => tests)

/** Tortures run in the order of their subjects: the longest first, so that none is left alone at the end. */
export default class extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted
      .map((file) => ({ file, place: placeOf(file) }))
      .sort((a, b) => a.place - b.place)
      .map(({ file }) => file)
  }
}

/** Behind all others where it is a torture. */
function placeOf({ moduleId }: TestSpecification): number {
  const path = relative(root, moduleId)
  return order.findIndex((tests) => path.startsWith(tests))
}
