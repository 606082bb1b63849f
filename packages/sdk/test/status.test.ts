import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { isFinal, type Status } from '../src/index.ts'

const { components } = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))
const statuses: Status[] = components.schemas.Status['x-extensible-enum']

it('every status of the document is final but the two in which a message waits', () => {
  expect(statuses.filter((status) => !isFinal(status))).toEqual(['pending', 'scheduled'])
  expect(components.schemas.KnownStatus.enum).toEqual(statuses)
})
