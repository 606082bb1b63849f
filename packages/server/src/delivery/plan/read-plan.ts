import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { HttpTemplate } from '../carriers/http/template.ts'
import { readAddress } from './address.ts'
import { checkSmppAddress, readCarrier, smppQuery } from './carriers.ts'
import { readDocument } from './document.ts'
import { createReader, type Given, type Reader } from './field-reader.ts'
import { readTemplate } from './http-template.ts'
import { type CarrierPlan, type CarrierSettings, PlanError } from './plan.ts'
import { createRouteTable } from './routes.ts'
import { readRoutes } from './routes-file.ts'
import type { Environment } from './secrets.ts'
import { readSmpp } from './smpp.ts'

export interface PlanOptions {
  environment: Environment
  /** What paths are relative to. */
  folder: string
}

const SETTING = 'WIGWAG_CARRIER'
const EXPECTED = 'simulator, smpp://user:password@host:2775 or file:./carriers.json'
/** Part of the address for receipts, and of metrics. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** Reads what `WIGWAG_CARRIER` says. Throws a {@link PlanError} that lists everything that is wrong. */
export function readPlan(given: string, parts: PlanOptions): CarrierPlan {
  const problems: string[] = []
  const reader = createReader(problems)
  const plan = /^file:/i.test(given) ? fromFile(given, parts, reader, problems) : fromSetting(given, reader)
  if (plan === undefined || problems.length > 0) throw new PlanError(problems)
  return plan
}

function fromSetting(text: string, reader: Reader): CarrierPlan | undefined {
  if (text === 'simulator' || text === 'simulator:') return onlyOne({ kind: 'simulator', name: 'simulator' })
  const setting: Given = { place: SETTING, namePlace: SETTING, field: '', value: text }
  const address = readAddress(text)
  if (address?.scheme === 'http' || address?.scheme === 'https') {
    const expected = 'a file, because an HTTP carrier needs a template: file:./carriers.json'
    reader.complain(setting, expected, { got: 'an http URL' })
    return undefined
  }
  if (!address || !/^smpps?$/.test(address.scheme) || address.host === '') {
    // A URL is not shown: it may hold a password, and special characters in it may be why it can't be read.
    const isUrl = /[:@]/.test(text)
    const hint = isUrl
      ? ', with a port up to 65535 and special characters of the password percent-encoded'
      : ''
    reader.complain(setting, EXPECTED + hint, { got: isUrl ? undefined : JSON.stringify(text) })
    return undefined
  }
  checkSmppAddress(reader, setting, address)
  if (address.password === undefined)
    reader.complain(setting, 'a password behind the user name', { got: 'none' })
  const fields = smppQuery(reader, address, SETTING, '')
  return onlyOne(readSmpp(reader, address.host, address, address.password ?? '', (field) => fields?.(field)))
}

/** A plan of one carrier that takes everything. */
function onlyOne(settings: CarrierSettings): CarrierPlan {
  const way = { name: settings.name, priority: 1, weight: 1, cost: undefined }
  const route = { prefix: '', networks: [], senders: [], accounts: [], ways: [way] }
  return {
    carriers: new Map([[settings.name, settings]]),
    routes: createRouteTable([route]),
    warnings: [],
  }
}

function fromFile(
  text: string,
  { environment, folder }: PlanOptions,
  reader: Reader,
  problems: string[],
): CarrierPlan | undefined {
  const shown = text.slice('file:'.length)
  const path = resolve(folder, shown.startsWith('//') ? shown.replace(/^\/+/, '/') : shown)
  const document = readFile(path, shown, SETTING, problems)
  const field = document && reader.fields(document, ['carriers', 'routes'])
  if (document === undefined || field === undefined) return undefined

  const templates = new Map<string, HttpTemplate | undefined>()
  function templateAt(given: Given, name: string): HttpTemplate | undefined {
    const file = resolve(dirname(path), name)
    if (!templates.has(file)) {
      const template = readFile(file, name, `${given.place}: ${given.field}`, problems)
      templates.set(file, template && readTemplate(reader, template))
    }
    return templates.get(file)
  }

  const entries = reader.required(document, 'carriers', field('carriers'), 'an object with carriers by name')
  const carriers = new Map<string, CarrierSettings>()
  const names = new Set<string>()
  const found = reader.entries(entries, 'an object with carriers by name') ?? []
  if (entries !== undefined && found.length === 0) reader.complain(entries, 'at least one carrier')
  for (const [name, given] of found) {
    names.add(name)
    if (!NAME.test(name)) {
      const expected = 'a name of 1 to 63 letters, digits, dots, - and _, with a letter or digit first'
      reader.complain(given, expected, { got: JSON.stringify(name), atName: true })
    }
    const settings = readCarrier({ reader, environment, templateAt }, name, given)
    if (settings !== undefined) carriers.set(name, settings)
  }
  const warnings: string[] = []
  const list = reader.required(document, 'routes', field('routes'), 'a list of routes')
  const routes = readRoutes(reader, list, names, warnings)
  return { carriers, routes, warnings }
}

/** Reads a file under the name that the operator gave it. */
function readFile(path: string, shown: string, asker: string, problems: string[]): Given | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    problems.push(`${asker}: expected a file that can be read, got ${shown} (${code})`)
    return undefined
  }
  return readDocument(shown, text.replace(/^\uFEFF/, ''), problems)
}
