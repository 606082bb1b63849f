import { readFile } from 'node:fs/promises'
import { isWebUrl } from '@wigwag/contract'
import { came } from './answers.ts'
import { isSuccess } from './caller.ts'
import { type Visit, Wrong } from './connector-check/visit.ts'
import { NotTried } from './not-tried.ts'

/** The two published descriptions. The specification says that they are published, and not where. */
export interface Documents {
  openapi(): Promise<unknown>
  postman(): Promise<unknown>
}

export interface DocumentPlaces {
  /** Where our gateways have it, which is tried when no place is given. */
  usualOpenapi: string
  /** A URL or a file, of JSON. */
  openapi: string | undefined
  postman: string | undefined
}

export function createDocuments({ usualOpenapi, openapi, postman }: DocumentPlaces, visit: Visit): Documents {
  return {
    async openapi() {
      if (openapi !== undefined) return read(openapi, visit)
      const visited = await visit(usualOpenapi)
      if (isSuccess(visited) && visited.json !== undefined) return visited.json
      throw new NotTried(`there is none at ${usualOpenapi}; --openapi gives its URL or file`)
    },
    async postman() {
      if (postman === undefined) throw new NotTried('--postman gives its URL or file')
      return read(postman, visit)
    },
  }
}

async function read(place: string, visit: Visit): Promise<unknown> {
  const text = isWebUrl(place) ? await download(place, visit) : await open(place)
  try {
    return JSON.parse(text)
  } catch {
    throw new Wrong(`${place} is not JSON; a description in YAML has to be converted first`)
  }
}

async function download(url: string, visit: Visit): Promise<string> {
  const visited = await visit(url)
  if (isSuccess(visited)) return visited.text
  throw new Wrong(came(visited))
}

async function open(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Wrong(`${file} can't be read: ${error instanceof Error ? error.message : error}`)
  }
}
