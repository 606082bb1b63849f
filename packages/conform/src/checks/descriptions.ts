import { operations } from '@wigwag/contract/operations'
import * as z from 'zod'
import { expectNone, isFound, needed } from '../answers.ts'
import { OPERATIONS } from '../caller.ts'
import { type Check, must } from '../check.ts'
import { Wrong } from '../connector-check/visit.ts'
import type { Session } from '../session.ts'
import { shown } from '../shape.ts'

const VERSION = '2.0.4'
const VARIABLES = ['baseUrl', 'clientid', 'clientsecret', 'token', 'from', 'to']

/** An operation with the name of its parameter left out: a description may call it as it likes. */
const wanted = OPERATIONS.map((name) => {
  const { method, path } = operations[name]
  return `${method} ${path.replace(/:\w+/, '{}')}`
})

async function openapi(session: Session) {
  const document = await session.documents.openapi()
  if (isFound(document) && typeof document.openapi === 'string' && isFound(document.paths)) return document
  throw new Wrong(`the document is no OpenAPI description: ${shown(document)}`)
}

function describedIn(paths: unknown): string[] {
  if (!isFound(paths)) return []
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(isFound(item) ? item : {}).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/, '{}')}`,
    ),
  )
}

const collectionSchema = z.object({
  info: z.object({ schema: z.string() }),
  item: z.array(z.unknown()),
  variable: z.array(z.object({ key: z.string() })).default([]),
})

async function postman(session: Session) {
  const document = await session.documents.postman()
  const { data } = collectionSchema.safeParse(document)
  if (!data) throw new Wrong(`the document is no Postman collection: ${shown(document)}`)
  return data
}

const requestSchema = z.object({
  request: z.object({ method: z.string(), url: z.union([z.string(), z.object({ raw: z.string() })]) }),
})

/** The requests of a collection, in folders or not, from the path on. */
function requestsIn(items: readonly unknown[]): string[] {
  return items.flatMap((item) => {
    if (isFound(item) && Array.isArray(item.item)) return requestsIn(item.item)
    const { data } = requestSchema.safeParse(item)
    if (!data) return []
    const { method, url } = data.request
    const raw = typeof url === 'string' ? url : url.raw
    const path = raw.replace(/^.*?(?=\/v1\/)/, '').replace(/\?.*$/, '')
    return [`${method.toUpperCase()} ${path.replace(/\{\{[^}]*\}\}|:\w+/, '{}')}`]
  })
}

const without = (found: readonly string[]) =>
  wanted.filter((operation) => !found.includes(operation)).map((operation) => `no ${operation}`)

export const descriptions: readonly Check[] = [
  must('openapi.version-3', '9', 'the interface has an OpenAPI 3.0 description', async (session) => {
    const { openapi: version } = await openapi(session)
    if (!String(version).startsWith('3.0.')) throw new Wrong(`it is OpenAPI ${shown(version)}`)
  }),
  must('openapi.version', '9', `its version is ${VERSION}`, async (session) => {
    const { info } = await needed(openapi(session), 'openapi.version-3')
    const version = isFound(info) ? info.version : undefined
    if (version !== VERSION) throw new Wrong(`its version is ${shown(version)}`)
  }),
  must('openapi.operations', '4', 'it describes the four operations', async (session) => {
    const { paths } = await needed(openapi(session), 'openapi.version-3')
    expectNone(without(describedIn(paths)))
  }),
  must('postman.collection', '9', 'the interface has a Postman collection', async (session) => {
    await postman(session)
  }),
  must('postman.variables', '9', `its variables are ${VARIABLES.join(', ')}`, async (session) => {
    const { variable } = await needed(postman(session), 'postman.collection')
    const keys = variable.map(({ key }) => key)
    expectNone(VARIABLES.filter((name) => !keys.includes(name)).map((name) => `no ${name}`))
  }),
  must('postman.operations', '4', 'it has the four operations', async (session) => {
    const { item } = await needed(postman(session), 'postman.collection')
    expectNone(without(requestsIn(item)))
  }),
]
